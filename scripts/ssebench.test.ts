import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** A clone in small: the command, a program that says where it runs, and an `npm` that installs a pinned Node.js. */
let clone: string;

const MAIN = `console.log(JSON.stringify({ cwd: process.cwd(), args: process.argv.slice(2), cache: process.env.NODE_COMPILE_CACHE }));`;
const NPM = `#!/bin/sh
echo "$*" >>"$PWD/npm-calls"
mkdir -p node_modules/node-linux-test/bin
ln -sf ${process.execPath} node_modules/node-linux-test/bin/node
touch node_modules/.package-lock.json
`;

beforeEach(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), 'clone-')));
  for (const folder of ['scripts', 'bin', 'packages/bench/src', 'packages/gateway/src/server', 'elsewhere'])
    mkdirSync(join(clone, folder), { recursive: true });
  copyFileSync('ssebench', join(clone, 'ssebench'));
  for (const script of ['bring-node.sh', 'command.ts', 'command']) {
    cpSync(join('scripts', script), join(clone, 'scripts', script), { recursive: true });
  }
  writeFileSync(join(clone, 'packages/bench/src/main.ts'), MAIN);
  writeFileSync(join(clone, 'packages/gateway/src/server/main.ts'), '');
  writeFileSync(join(clone, 'package-lock.json'), '{}');
  npm(NPM);
});
afterEach(() => rmSync(clone, { recursive: true }));

function npm(script: string): void {
  writeFileSync(join(clone, 'bin/npm'), script);
  chmodSync(join(clone, 'bin/npm'), 0o755);
}

function run(command: string, ...args: string[]) {
  const env = { PATH: `${join(clone, 'bin')}:/usr/bin:/bin` };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: join(clone, 'elsewhere'), env, encoding: 'utf8' });
  return { status, stderr, said: stdout === '' ? undefined : JSON.parse(stdout) };
}

const npmCalls = () =>
  execFileSync('cat', [join(clone, 'npm-calls')], { encoding: 'utf8' })
    .trim()
    .split('\n');

test('the command installs the packages once, says so on standard error, and runs where it was called', () => {
  const first = run('../ssebench', 'run', '--local', 'a b');
  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining('installing the npm packages') });
  expect(first.said).toEqual({
    cwd: join(clone, 'elsewhere'),
    args: ['run', '--local', 'a b'],
    cache: join(clone, '.cache/compile'),
  });
  expect(run('../ssebench')).toMatchObject({ status: 0, stderr: '' });
  expect(npmCalls()).toEqual([expect.stringMatching(/^ci --ignore-scripts/)]);
});

test('a lockfile that is newer than the installation brings the packages again', () => {
  run('../ssebench');
  const later = Date.now() / 1000 + 10;
  utimesSync(join(clone, 'package-lock.json'), later, later);
  expect(run('../ssebench').stderr).toContain('installing the npm packages');
  expect(npmCalls()).toHaveLength(2);
});

test('the command works through links, absolute and relative', () => {
  symlinkSync(join(clone, 'ssebench'), join(clone, 'elsewhere/absolute'));
  symlinkSync('../elsewhere/absolute', join(clone, 'bin/sse'));
  expect(run('./absolute', 'x').said).toMatchObject({ args: ['x'] });
  expect(run(join(clone, 'bin/sse'), 'y').said).toMatchObject({ args: ['y'], cwd: join(clone, 'elsewhere') });
});

test('what runs is a bundle of the sources as they are, found beside themselves', () => {
  run('../ssebench');
  symlinkSync(join(process.cwd(), 'node_modules/esbuild'), join(clone, 'node_modules/esbuild'));
  const source = join(clone, 'packages/bench/src/main.ts');
  const said = (word: string) => `console.log(JSON.stringify({ word: ${JSON.stringify(word)}, at: import.meta.url }));`;
  for (const word of ['first', 'second']) {
    writeFileSync(source, said(word));
    for (const _ of ['made', 'found']) expect(run('../ssebench').said).toEqual({ word, at: `file://${source}` });
  }
  expect(readdirSync(join(clone, '.cache/command'))).toHaveLength(2);
});

test('a bundle that is not used for weeks goes when another is made', () => {
  run('../ssebench');
  symlinkSync(join(process.cwd(), 'node_modules/esbuild'), join(clone, 'node_modules/esbuild'));
  run('../ssebench');
  const cache = join(clone, '.cache/command');
  const [old = ''] = readdirSync(cache);
  const longAgo = Date.now() / 1000 - 30 * 24 * 3600;
  utimesSync(join(cache, old), longAgo, longAgo);
  writeFileSync(join(clone, 'packages/bench/src/main.ts'), `${MAIN}\n`);
  run('../ssebench');
  expect(readdirSync(cache)).toHaveLength(1);
  expect(readdirSync(cache)).not.toContain(old);
});

test("an installation that fails ends with npm's words and where the rest is", () => {
  npm('#!/bin/sh\necho "npm error network" >&2\nexit 1\n');
  expect(run('../ssebench', '--version')).toEqual({
    status: 1,
    said: undefined,
    stderr: expect.stringMatching(/npm error network[\s\S]*npm ci failed, see .*npm-ci\.log/),
  });
});

test.each(['./demo', './test'])('%s --no-install names the engine that does not answer, and the remedy', (command) => {
  const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' };
  const { status, stderr } = spawnSync(command, ['--no-install'], { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /no container engine answers at DOCKER_HOST=unix:\/\/\/nowhere\/docker\.sock \(ENOENT.*unset DOCKER_HOST/,
  );
});

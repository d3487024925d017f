import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TaskConfig } from '@ssebench/contracts/task-config';
import type { ContainerEngine } from '@ssebench/engine/port';
import { expect, onTestFinished, test } from 'vitest';
import { putCheckMaterial, putEverything } from './answers.ts';

/** Two directories as the root file systems of two containers, with `tar` in between, as the engine has it. */
function containers(): { from: string; to: string; engine: Pick<ContainerEngine, 'getArchive' | 'putArchive'> } {
  const top = mkdtempSync(join(tmpdir(), 'ssebench-answers-'));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const [from, to] = [join(top, 'tool'), join(top, 'work')];
  for (const root of [from, to]) mkdirSync(root);
  return {
    from,
    to,
    engine: {
      async getArchive(root, path) {
        const full = join(root, path);
        return spawn('tar', ['-c', '--format=pax', '-C', dirname(full), basename(full)]).stdout;
      },
      async putArchive(root, directory, archive) {
        const tar = spawn('tar', ['-x', '-p', '-C', join(root, directory)], { stdio: ['pipe', 'ignore', 'inherit'] });
        const closed = once(tar, 'close');
        await pipeline(archive as Readable, tar.stdin);
        expect(await closed).toEqual([0, null]);
      },
    },
  };
}

test('the clean copy and the task files arrive as they are: empty files, links, long and odd names', async () => {
  const { from, to, engine } = containers();
  const write = (path: string, content: string, mode = 0o644) => {
    mkdirSync(dirname(join(from, path)), { recursive: true });
    writeFileSync(join(from, path), content, { mode });
  };
  write('ssebench/config.yaml', 'id: x\n');
  write('ssebench/pocs/empty', '');
  write('ssebench/pocs/last', 'after an empty one');
  write('ssebench/scripts/build.sh', '#!/bin/sh\n', 0o755);
  const names = ['-n', 'a "b" \\c', "it's", 'two\nlines', 'Größe', `${'deep/'.repeat(40)}file`];
  for (const name of [...names, 'empty']) write(`src/app/${name}`, name === 'empty' ? '' : name);
  const noUtf8 = Buffer.from('\xff\xfe', 'latin1');
  writeFileSync(Buffer.concat([Buffer.from(join(from, 'src/app/')), noUtf8]), 'no UTF-8');
  symlinkSync('../Größe', join(from, 'src/app/deep/link'));
  linkSync(join(from, 'src/app/-n'), join(from, 'src/app/same'));

  await putEverything({ engine, from, to, signal: new AbortController().signal }, '/src/app');

  const listing = (root: string) =>
    execFileSync('find', ['.', '-mindepth', '1', '-printf', '%p %y %l %s\\0'], { cwd: root, encoding: 'latin1' })
      .split('\0')
      .map((line) => line.replace(/ \d+$/, (size) => (line.includes(' d ') ? '' : size)))
      .sort();
  expect(listing(join(to, 'ssebench'))).toEqual(listing(join(from, 'ssebench')));
  expect(listing(join(to, 'ssebench-repo'))).toEqual(listing(join(from, 'src/app')));
  for (const name of names) expect(readFileSync(join(to, 'ssebench-repo', name), 'utf8')).toBe(name);
  expect(readlinkSync(join(to, 'ssebench-repo/deep/link'))).toBe('../Größe');
  expect(lstatSync(join(to, 'ssebench-repo/same')).ino).toBe(lstatSync(join(to, 'ssebench-repo/-n')).ino);
  expect(lstatSync(join(to, 'ssebench-repo')).mode & 0o7777).toBe(0o700);
  expect(lstatSync(join(to, 'ssebench/scripts/build.sh')).mode & 0o100).toBe(0o100);
});

test('of proofs of concept no more arrives than what lies beside them, however the config writes their paths', async () => {
  const { from, to, engine } = containers();
  for (const path of ['pocs/a', 'pocs/module', 'diffs/patch.diff', 'diffs/test.diff', 'config.yaml']) {
    mkdirSync(dirname(join(from, 'ssebench', path)), { recursive: true });
    writeFileSync(join(from, 'ssebench', path), path);
  }
  mkdirSync(join(to, 'ssebench'));
  const config = TaskConfig.parse({
    id: 'a-1',
    project: 'a',
    repository: 'https://example.org/a',
    language: 'c',
    source: '/src/a',
    task_description: { issue: 'x' },
    scripts: {},
    files: { patch: './diffs/patch.diff', future_test: 'diffs/test.diff', poc: ['./pocs/a', 'diffs/../pocs/a'] },
  });
  await putCheckMaterial({ engine, from, to, signal: new AbortController().signal }, config, 1);
  const there = execFileSync('find', ['.', '-type', 'f'], { cwd: join(to, 'ssebench'), encoding: 'utf8' });
  expect(there.trim().split('\n').sort()).toEqual(['./pocs/a', './pocs/module']);
});

import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./bundle.ts', import.meta.url));
const PROGRAMS = ['entrypoint.cjs', 'daemon.cjs', 'evaluator.cjs', 'mcp.cjs', 'sse.cjs', 'usage.cjs', 'tunnel.cjs'];
const FILES = ['runtime.cjs', ...PROGRAMS, 'prepare.cjs', 'sdk-hooks.cjs', 'bin/sse', 'runtime.json'];
const made: string[] = [];

function bundle(): string {
  const out = mkdtempSync(join(tmpdir(), 'bundle-'));
  made.push(out);
  execFileSync(process.execPath, [SCRIPT, '--out', out], { cwd: '/' });
  return out;
}

afterAll(() => {
  for (const out of made) rmSync(out, { recursive: true });
});

test('the same sources give the same bytes, and programs that run on their own', () => {
  const [first, second] = [bundle(), bundle()];
  for (const name of [...FILES, ...globSync('sdk/**/*.js', { cwd: first })]) {
    expect(readFileSync(join(first, name)).equals(readFileSync(join(second, name))), name).toBe(true);
  }
  const program = (...args: string[]) =>
    spawnSync(process.execPath, [join(first, 'runtime.cjs'), ...args], { encoding: 'utf8', env: {} });
  expect(program('daemon', '--version').stdout).toMatch(/^ssebench-daemon \d+\.\d+\.\d+\n$/);
  expect(program('entrypoint', '--mode', 'x')).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('--mode must be one of'),
  });
  expect(program('evaluator')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('SSE_GRADING_TIMEOUT is not set'),
  });
  expect(program('sse', 'no-such-command')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('"no-such-command" is no command'),
  });
  expect(program('sse', 'prompt')).toMatchObject({ status: 1, stderr: expect.stringContaining('(unreachable)') });
  const code = join(first, 'daemon.cjs.code');
  for (const ofNoUse of [readFileSync(code).fill(7, 0, 16), readFileSync(code).subarray(0, 1000), Buffer.alloc(0)]) {
    writeFileSync(code, ofNoUse);
    expect(program('daemon', '--version').stdout).toMatch(/^ssebench-daemon /);
  }
  rmSync(code);
  expect(program('daemon', '--version').stdout).toMatch(/^ssebench-daemon /);
  expect(program('other')).toMatchObject({ status: 1, stderr: expect.stringContaining('unknown program "other"') });
});

test('an agent in TypeScript imports the SDK, and its image’s variables for Node.js reach what it starts', () => {
  const out = bundle();
  writeFileSync(join(out, 'name.ts'), 'export const NAME: string = "agent";\n');
  writeFileSync(
    join(out, 'run.ts'),
    `import { runProgram } from '@ssebench/sdk/agent/run-program';
     import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';
     import { DialogWriter } from '@ssebench/sdk/dialog/dialog-writer';
     import { NAME } from './name.ts';
     const entry: DialogInput = { type: 'init', data: { task: 't', cwd: '/', model: 'm', agent: NAME } };
     console.log(new DialogWriter(process.argv[2]).write(entry));
     const command = ['sh', '-c', 'echo "$NODE_OPTIONS"; exit 4'] as const;
     const { status } = await runProgram({ command, archive: ${JSON.stringify(out)}, onLine: (line) => console.log(line) });
     process.exit(status ?? 1);`,
  );
  // What \`sse node\` executes, with the Node.js of this process.
  const node = (file: string, ...args: string[]) =>
    spawnSync(process.execPath, ['--require', join(out, 'sdk-hooks.cjs'), file, ...args], {
      cwd: '/',
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], SSE_KEPT_NODE_OPTIONS: '--no-such-option' },
    });
  const run = node(join(out, 'run.ts'), join(out, 'dialog.jsonl'));
  expect(run).toMatchObject({ status: 4, stdout: 'true\n--no-such-option\n', stderr: '' });
  expect(readFileSync(join(out, 'dialog.jsonl'), 'utf8')).toContain('"agent":"agent"');
  writeFileSync(join(out, 'wrong.ts'), `import '@ssebench/sdk/no/such';`);
  expect(node(join(out, 'wrong.ts'))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('@ssebench/sdk/no/such: this SDK has no such module'),
  });
});

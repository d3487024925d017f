import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./bundle.ts', import.meta.url));
const PROGRAMS = ['entrypoint.cjs', 'daemon.cjs', 'evaluator.cjs', 'mcp.cjs', 'sse.cjs', 'usage.cjs', 'tunnel.cjs'];
const FILES = ['runtime.cjs', ...PROGRAMS, 'prepare.cjs', 'bin/sse', 'runtime.json'];
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
  for (const name of FILES) {
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitStatus, type ProgramEnd, type ProgramOptions, runProgram } from './run-program.ts';

const MODULE = fileURLToPath(new URL('./run-program.ts', import.meta.url));
let archive: string;
let lines: string[];

beforeEach(() => {
  archive = mkdtempSync(join(tmpdir(), 'program-'));
  lines = [];
});
afterEach(() => rmSync(archive, { recursive: true }));

function run(script: string, options: Partial<ProgramOptions> = {}): Promise<ProgramEnd> {
  const command = ['/bin/sh', '-c', script] as const;
  return runProgram({ command, archive, name: 'p', onLine: (line) => lines.push(line), ...options });
}

const kept = (name: string) => readFileSync(join(archive, name), 'utf8');

test('a program gets its input and its environment, and its lines come one by one', async () => {
  const env = { KIND: 'own', HOME: undefined };
  const end = await run('cat; printf "%s|%s\\n\\n" "$KIND" "$HOME"; printf last; echo why >&2; exit 3', {
    stdin: 'a\r\nb\n',
    env,
  });
  expect(end).toEqual({ status: 3, signal: null, stopped: false, lastWords: 'why\n' });
  expect(lines).toEqual(['a', 'b', 'own|', 'last']);
  expect([kept('p.stdout'), kept('p.stderr')]).toEqual(['a\r\nb\nown|\n\nlast', 'why\n']);
});

test('lines that are not worth it are not kept, and given on all the same', async () => {
  await run('echo a; echo noise; echo b', { keep: (line) => line !== 'noise' });
  expect(kept('p.stdout')).toBe('a\nb\n');
  expect(lines).toEqual(['a', 'noise', 'b']);
});

test('an end by a signal is an exit status, as shells have it', async () => {
  const end = await run('kill -9 $$');
  expect([end.status, end.signal, exitStatus(end)]).toEqual([null, 'SIGKILL', 137]);
  expect(exitStatus({ status: 3, signal: null })).toBe(3);
});

test('a line that is not understood costs itself alone', async () => {
  const onLine = (line: string) => {
    lines.push(JSON.parse(line).n);
  };
  expect(await run(`echo '{"n":"1"}'; echo '{"n":'; echo '{"n":"2"}'`, { onLine })).toMatchObject({ status: 0 });
  expect(lines).toEqual(['1', '2']);
});

test('output without end is kept up to a limit, and its line is cut', async () => {
  expect(await run('head -c 100000000 /dev/zero | tr "\\0" x; echo; echo next')).toMatchObject({ status: 0 });
  expect(lines.map((line) => line.length)).toEqual([16 * 1024 * 1024, 4]);
  expect(statSync(join(archive, 'p.stdout')).size).toBe(64 * 1024 * 1024);
});

test('an archive that can not be written changes nothing', async () => {
  writeFileSync(join(archive, 'file'), '');
  expect(await run('echo x', { archive: join(archive, 'file/below') })).toMatchObject({ status: 0 });
  expect(lines).toEqual(['x']);
});

test('a program that does not read its input, or leaves others behind with its output, holds nobody up', async () => {
  const start = performance.now();
  expect(await run('sleep 30 & echo done', { stdin: 'x'.repeat(1_000_000) })).toMatchObject({ status: 0 });
  expect(lines).toEqual(['done']);
  expect(performance.now() - start).toBeLessThan(10_000);
});

test('a program that is not there rejects with the system’s reason', async () => {
  await expect(runProgram({ command: ['/no/such'], archive, onLine: () => undefined })).rejects.toThrow('ENOENT');
});

/** A wrapper in a process of its own: what it prints when its program has ended, after a SIGTERM for the wrapper alone. */
async function stopWrapper(script: string): Promise<string> {
  const source = `
    import { runProgram } from ${JSON.stringify(MODULE)};
    const end = await runProgram({
      command: ['/bin/sh', '-c', ${JSON.stringify(script)}],
      archive: ${JSON.stringify(archive)},
      graceMs: 300,
      onLine: (line) => console.log(line),
    });
    console.log(JSON.stringify([end.status, end.signal, end.stopped]));`;
  const wrapper = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = text(wrapper.stdout);
  await once(wrapper.stdout, 'readable');
  wrapper.kill('SIGTERM');
  return (await said).trim();
}

test('a wrapper that is asked to stop asks its program, and tells how that ended', async () => {
  const script = 'trap "echo saved; exit 5" TERM; echo ready; while :; do sleep 0.02; done';
  expect(await stopWrapper(script)).toBe('ready\nsaved\n[5,null,true]');
});

test('a program that does not stop is killed with what it started, and its wrapper goes on', async () => {
  const script = 'trap "" TERM; sleep 60 & echo $!; while :; do sleep 0.02; done';
  const [started, end] = (await stopWrapper(script)).split('\n');
  expect(end).toBe('[null,"SIGKILL",true]');
  await expect.poll(() => isAlive(Number(started))).toBe(false);
});

/** A process that has ended, and that nobody has asked how, is none. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { processesOf } from './processes.ts';
import { type CommandOptions, runCommand } from './run-command.ts';

const run = (script: string, more: Partial<CommandOptions> = {}) =>
  runCommand({ argv: ['/bin/sh', '-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' }, timeoutMs: 15_000, ...more });

test('gives status, bytes and time, and the environment is only what was given', async () => {
  const result = await run('printf "a\\377"; env >&2; exit 3', { env: { ONLY: 'this' } });
  expect(result).toMatchObject({ code: 3, signal: null, timedOut: false, aborted: false });
  expect(result.stdout.toBuffer()).toEqual(Buffer.from([0x61, 0xff]));
  expect(result.stderr.toText()).toContain('ONLY=this');
  expect(result.stderr.toText()).not.toContain('HOME=');
  expect(result.durationMs).toBeGreaterThan(0);
});

test('a command that a signal ends has no status', async () => {
  expect(await run('kill -SEGV $$')).toMatchObject({ code: null, signal: 'SIGSEGV', timedOut: false });
});

test.each([
  ['/nowhere/program', 'ENOENT'],
  ['/etc/passwd', 'EACCES'],
])('%s is not started: %s', async (program, code) => {
  expect(await run('', { argv: [program] })).toMatchObject({ code: null, notStarted: { code } });
});

describe('nothing outlasts the command', () => {
  test('at the limit the whole group is killed', async () => {
    const result = await run('sleep 60 & sleep 60', { timeoutMs: 300 });
    expect(result).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: true });
    expect(result.durationMs).toBeLessThan(3_000);
  });

  test('what it leaves in the background is killed, and output held open by strays is cut off', async () => {
    const result = await run('(sleep 60; echo late) & setsid sh -c "echo \\$\\$; exec sleep 4" & sleep 0.2; echo done');
    expect(result.code).toBe(0);
    expect(result.stdout.toText()).toMatch(/^\d+\ndone\n$/);
    expect(result.durationMs).toBeLessThan(3_500);
  });

  test('an abort ends it', async () => {
    const result = await run('sleep 60', { signal: AbortSignal.timeout(100) });
    expect(result).toMatchObject({ signal: 'SIGKILL', aborted: true, timedOut: false });
  });

  test.runIf(process.getuid?.() === 0)('as another user, in no other group', async () => {
    const uid = 64021;
    const result = await run('id -u; id -G', { uid, gid: uid });
    expect(result.stdout.toText()).toBe(`${uid}\n${uid}\n`);
    expect(processesOf(new Set([uid]))).toEqual([]);
  });
});

describe('input and output', () => {
  test('input is passed on as bytes, and may be left unread', async () => {
    const bytes = Buffer.alloc(300_000, 0xfe);
    expect((await run('cat', { stdin: bytes })).stdout.toBuffer()).toEqual(bytes);
    expect(await run('exit 0', { stdin: Buffer.alloc(10_000_000) })).toMatchObject({ code: 0 });
  });

  test('of a long output head and tail are kept, the bytes are counted, and a line says what is missing', async () => {
    const { stdout } = await run('echo first; head -c 5000000 /dev/zero; echo; echo last', { capBytes: 1000 });
    expect(stdout).toMatchObject({ bytes: 5_000_012, truncated: true });
    const text = stdout.toText();
    expect(text.startsWith('first\n')).toBe(true);
    expect(text.endsWith('\nlast\n')).toBe(true);
    expect(text).toContain(`\n[… ${5_000_012 - 1000} bytes left out …]\n`);
    expect(stdout.head.length + stdout.tail.length).toBe(1000);
  });

  test('an output of just the cap is whole', async () => {
    const { stdout } = await run('head -c 1000 /dev/zero', { capBytes: 1000 });
    expect(stdout).toMatchObject({ bytes: 1000, truncated: false });
    expect(stdout.toBuffer()).toEqual(Buffer.alloc(1000));
  });

  test('a sink that takes no more ends the command', async () => {
    const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) });
    const result = await run('cat /dev/zero', { stdoutTo: sink });
    expect(result.sinkError?.message).toBe('full');
    expect(result.code).not.toBe(0);
    expect(result.timedOut).toBe(false);
  });
});

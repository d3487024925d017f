import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ScriptedDaemon } from '../testing/scripted-daemon.ts';
import { type RecordOptions, recordProgram } from './record-program.ts';
import { sessionOutcome } from './session-outcome.ts';

const TASK = {
  id: 'tiny-1',
  project: 'tiny',
  language: 'c',
  source: '/src',
  poc: [],
  build_script: null,
  test_script: null,
  task_description: { bug_description: 'It overflows.', issue: null, crash_report: null },
};

let directory: string;
let daemon: ScriptedDaemon;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'record-'));
  daemon = await new ScriptedDaemon(join(directory, 'sse.sock'), { 'GET /project': { body: TASK } }).listen();
  vi.stubEnv('SSE_DAEMON_SOCKET', daemon.socketPath);
  vi.stubEnv('SSE_ARCHIVE', directory);
  vi.stubEnv('SSE_MODEL_NAME', 'm-1');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await daemon.close();
  rmSync(directory, { recursive: true });
});

/** Each line is a message; `bad` is not understood. */
const SESSION: RecordOptions['session'] = {
  add: (line) => {
    if (line === 'bad') throw new SyntaxError(line);
    return [{ type: 'message', content: line }];
  },
  finish: (end) => [{ type: 'complete', ...sessionOutcome(end, { failed: false }) }],
};

const record = (command: readonly [string, ...string[]]) =>
  recordProgram({ agent: 'a', session: SESSION, program: (stdin) => ({ command, stdin }) });

const entries = () =>
  readFileSync(join(directory, 'dialog.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('a program gets the task’s prompt, and the dialog holds what it said, whatever it could not say', async () => {
  expect(await record(['/bin/sh', '-c', 'grep overflows; echo bad; echo on; echo why >&2; exit 4'])).toBe(4);
  expect(entries()).toMatchObject([
    { type: 'init', data: { task: 'tiny-1', cwd: process.cwd(), model: 'm-1', agent: 'a' } },
    { type: 'prompt', content: expect.stringContaining('It overflows.') },
    { type: 'message', content: 'It overflows.' },
    { type: 'message', content: 'on' },
    { type: 'complete', status: 'error', turns: 2, message: 'exit status 4: why' },
  ]);
});

test('what becomes known beside the output is in the dialog while the program still works', async () => {
  const learned = [{ type: 'thinking', content: 'beside' }] as const;
  const session = { ...SESSION, poll: () => (entries().some(({ type }) => type === 'thinking') ? [] : learned) };
  const waiting = `until grep -q beside ${join(directory, 'dialog.jsonl')}; do sleep 0.05; done; echo seen`;
  const program = () => ({ command: ['/bin/sh', '-c', waiting] as const });
  await recordProgram({ agent: 'a', session, program });
  expect(entries().slice(2)).toMatchObject([{ content: 'beside' }, { content: 'seen' }, { status: 'success' }]);
});

test('a program that can not be started leaves a dialog that says so', async () => {
  await expect(record(['/no/such'])).rejects.toThrow('ENOENT');
  expect(entries().at(-1)).toMatchObject({
    type: 'complete',
    status: 'error',
    message: expect.stringContaining('ENOENT'),
  });
});

test('a session that can not be read in the end changes nothing of how its program ended', async () => {
  const finish = () => {
    throw new Error('database is locked');
  };
  const program = () => ({ command: ['/bin/echo', 'done'] as const });
  expect(await recordProgram({ agent: 'a', session: { ...SESSION, finish }, program })).toBe(0);
  expect(entries().slice(2)).toMatchObject([{ content: 'done' }, { type: 'complete', status: 'success', turns: 1 }]);
});

test('an outcome is the program’s own, unless it was stopped', () => {
  const end = { status: 0, signal: null, stopped: false, lastWords: 'last\n' };
  expect(sessionOutcome(end, { failed: false })).toEqual({ status: 'success' });
  expect(sessionOutcome(end, { failed: true, failure: 'no money' })).toEqual({
    status: 'error',
    message: 'exit status 0: no money',
  });
  expect(sessionOutcome({ ...end, status: null, signal: 'SIGKILL' }, { failed: false })).toEqual({
    status: 'error',
    message: 'SIGKILL: last',
  });
  expect(sessionOutcome({ ...end, stopped: true }, { failed: true }).status).toBe('timeout');
});

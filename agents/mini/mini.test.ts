import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Scenario } from '@ssebench/gateway/scripted/scenario';
import { type ScriptedModel, startScriptedModel } from '@ssebench/gateway/scripted/scripted-model';
import { ScriptedDaemon } from '@ssebench/sdk/testing/scripted-daemon';
import { afterEach, beforeEach, expect, test } from 'vitest';

const RUN = new URL('./run.ts', import.meta.url).pathname;
const PROJECT = {
  id: 'noop-c',
  project: 'noop',
  language: 'c',
  source: '/src',
  task_description: { bug_description: 'It overflows.', issue: null, crash_report: null },
  poc: [],
  build_script: null,
  test_script: null,
};

let folder: string;
let daemon: ScriptedDaemon;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mini-'));
  daemon = await new ScriptedDaemon(join(folder, 'sse.sock'), { 'GET /project': { body: PROJECT } }).listen();
  writeFileSync(join(folder, 'sse'), '#!/bin/sh\necho "test_patch result: PASSED ($*)"\n');
  chmodSync(join(folder, 'sse'), 0o755);
});
afterEach(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The agent in the folder, before this model. */
function start(model: ScriptedModel): ChildProcess {
  return spawn(process.execPath, [RUN], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      SSE_DAEMON_SOCKET: daemon.socketPath,
      SSE_ARCHIVE: folder,
      SSE_BASE_URL: model.url,
      SSE_API_KEY: 'key',
      SSE_MODEL_NAME: 'the-model',
    },
  });
}

async function run(model: ScriptedModel): Promise<{ status: number; words: string }> {
  const child = start(model);
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    words += chunk;
  });
  const [status] = await once(child, 'close');
  return { status, words };
}

function dialog(): Record<string, unknown>[] {
  const lines = readFileSync(join(folder, 'dialog.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

const played = (...steps: Scenario['steps']) => startScriptedModel({ steps });
const outputs = (model: ScriptedModel) => model.conversation.at(-1)?.results ?? [];

test('does what the model wants until it wants nothing more, and records all of it', async () => {
  await using model = await played(
    {
      do: 'run',
      command: 'echo fixed >fix.txt; echo out; echo err >&2; exit 3',
      think: 'It is the parser.',
      say: 'I fix it.',
    },
    { do: 'test_patch' },
    { do: 'finish', say: 'Fixed.' },
  );
  expect(await run(model)).toEqual({ status: 0, words: '' });
  expect(readFileSync(join(folder, 'fix.txt'), 'utf8')).toBe('fixed\n');
  expect(model.conversation[0]?.text).toContain('It overflows.');
  expect(outputs(model)).toEqual(['out\nerr\n[exit status 3]', 'test_patch result: PASSED (test)\n[exit status 0]']);
  const tokens = { in: 1000, out: 50 };
  expect(dialog()).toMatchObject([
    { type: 'init', data: { task: 'noop-c', cwd: folder, model: 'the-model', agent: 'mini' } },
    { type: 'prompt', content: expect.stringContaining('It overflows.') },
    { type: 'thinking', content: 'It is the parser.' },
    { type: 'message', content: 'I fix it.', tokens },
    { type: 'tool', name: 'bash', status: 'running', args: { command: expect.stringContaining('fix.txt') } },
    { type: 'tool', name: 'bash', status: 'error', error: 'out\nerr\n[exit status 3]' },
    { type: 'message', content: '', tokens },
    { type: 'tool', name: 'test_patch', status: 'running' },
    { type: 'tool', name: 'test_patch', status: 'success', result: expect.stringContaining('PASSED') },
    { type: 'message', content: 'Fixed.', tokens },
    { type: 'complete', status: 'success', turns: 3, total_tokens: { in: 3000, out: 150 } },
  ]);
});

test('the thoughts and calls of the model come back to it as it made them', async () => {
  await using model = await played({ do: 'run', command: 'true', think: 'Hm.' }, { do: 'finish' });
  await run(model);
  const { input, store, reasoning } = model.conversation.at(-1)?.body ?? {};
  expect({ store, reasoning }).toEqual({ store: false, reasoning: { effort: 'high', summary: 'auto' } });
  expect(input).toMatchObject([
    { role: 'user' },
    { type: 'reasoning', encrypted_content: expect.any(String), summary: [{ text: 'Hm.' }] },
    { type: 'function_call', call_id: 'call_1_0' },
    { type: 'function_call_output', call_id: 'call_1_0', output: '[exit status 0]' },
  ]);
});

test('a command is killed at its limit with what it started, and a long output is shown in part', async () => {
  const long = 'sleep 1; head -c 100000 /dev/zero | tr "\\0" x; echo end';
  await using model = await played(
    { do: 'call', tool: 'bash', input: { command: '(sleep 1; touch late) & sleep 60', timeout: 0.3 } },
    { do: 'run', command: long },
    { do: 'call', tool: 'bash', input: { command: 'sleep 5 & echo started' } },
    { do: 'call', tool: 'bash', input: { nothing: 1 } },
    { do: 'finish' },
  );
  expect((await run(model)).status).toBe(0);
  const [killed, shown = '', background, empty] = outputs(model);
  expect(killed).toBe('[killed after 0.3 s]');
  expect(shown.length).toBeLessThan(17_000);
  expect(shown).toMatch(/^x{4000}\n\[… 84004 characters are not shown …\]\nx+end\n\[exit status 0\]$/);
  expect(background).toBe('started\n[exit status 0]');
  expect(empty).toContain('must be {"command"');
  expect(existsSync(join(folder, 'late'))).toBe(false);
});

test('a provider that fails for a while is asked again', async () => {
  await using model = await played({ do: 'fail', status: 500 }, { do: 'cut' }, { do: 'finish', say: 'Done at last.' });
  const { status, words } = await run(model);
  expect(status).toBe(0);
  expect(words.match(/trying again/g)).toHaveLength(2);
  expect(dialog().at(-2)).toMatchObject({ content: 'Done at last.' });
});

test('a call that can not go well ends the session at once, with the reason', async () => {
  await using model = await played({ do: 'run', command: 'true' }, { do: 'fail', status: 400, times: 9 });
  const { status, words } = await run(model);
  expect(status).toBe(1);
  expect(words).toContain('status 400');
  expect(model.conversation).toHaveLength(2);
  expect(dialog().at(-1)).toMatchObject({ type: 'complete', status: 'error', message: expect.stringContaining('400') });
});

test.for([
  ['a long conversation', 160_000, undefined],
  ['one that is long for its model', 26_000, 32_000],
] as const)('%s loses the older half of its outputs, and the model is told', async ([, input, window]) => {
  const runs = Array.from(
    { length: 9 },
    (_, index) => ({ do: 'run', command: `echo ${'x'.repeat(200)}${index}` }) as const,
  );
  const usage = { input, cacheRead: 0, output: 0 };
  await using model = await startScriptedModel({
    steps: [...runs, { do: 'finish' }],
    usage,
    ...(window && { window }),
  });
  const { words } = await run(model);
  expect(words).toContain('taken out of the conversation');
  const shown = outputs(model).map((output) => output.startsWith('[This output was taken out'));
  expect(shown).toEqual([true, true, true, true, true, false, false, false, false]);
});

test('stopped in the middle of a command it ends it, closes the session and says so by its status', async () => {
  await using model = await played({ do: 'run', command: 'touch begun; sleep 60; touch late' });
  const child = start(model);
  const ended = once(child, 'exit');
  while (!existsSync(join(folder, 'begun'))) await delay(20);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(dialog().slice(-2)).toMatchObject([
    { type: 'tool', name: 'bash', status: 'error', error: '[killed]' },
    { type: 'complete', status: 'timeout', message: 'the time is up' },
  ]);
});

test('stopped while the model is silent it ends at once', async () => {
  await using model = await played({ do: 'hang' });
  const child = start(model);
  const ended = once(child, 'exit');
  while (model.requests.length === 0) await delay(20);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(dialog().at(-1)).toMatchObject({ type: 'complete', status: 'timeout', turns: 0 });
});

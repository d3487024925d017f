import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OpencodeSession } from './session.ts';
import type { StoredPart } from './store.ts';

const ENDED = { status: 0, signal: null, stopped: false, lastWords: '' };
const TOKENS = { in: 1000, out: 50 };

/** What OpenCode 1.18.18 printed, and what was in its database then. */
const linesOf = (path: string) =>
  readFileSync(new URL(`fixtures/${path}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
const partsOf = (name: string): StoredPart[] => linesOf(`${name}/parts.jsonl`).map((line) => JSON.parse(line));

/** @param reads what the database gives, one time after the other */
function dialogOf(name: string, end: Partial<typeof ENDED> = {}, reads: StoredPart[][] = [partsOf(name)]) {
  const left = [...reads];
  const session = new OpencodeSession(() => left.shift() ?? []);
  const early = reads.slice(1).flatMap(() => session.poll());
  return [
    ...early,
    ...linesOf(`${name}/stdout.jsonl`).flatMap((line) => session.add(line)),
    ...session.finish({ ...ENDED, ...end }),
  ];
}

test('a session: thoughts, messages, tools with their results, a subagent by its name', () => {
  expect(dialogOf('session')).toMatchObject([
    { type: 'thinking', content: 'Let me look.' },
    { type: 'message', content: 'I look first.' },
    {
      type: 'tool',
      tool_id: 'call_10',
      name: 'bash',
      status: 'running',
      args: { command: 'ls; echo oops >&2; exit 3' },
    },
    { type: 'tool', tool_id: 'call_10', status: 'error', error: 'exit code 3\na.c\noops\n' },
    { type: 'tool', tool_id: 'call_11', name: 'read', status: 'running' },
    { type: 'tool', tool_id: 'call_11', status: 'success', result: expect.stringContaining('int main(){return 0;}') },
    { type: 'tool', tool_id: 'call_20', name: 'task', status: 'running', args: { prompt: 'Read a.c' } },
    { type: 'tool', tool_id: 'call_20', status: 'success', result: expect.stringContaining('a.c has a main.') },
    { type: 'tool', tool_id: 'call_30', name: 'read', status: 'running' },
    { type: 'tool', tool_id: 'call_30', status: 'success' },
    { type: 'message', content: '[general] a.c has a main.', tokens: TOKENS },
    { type: 'tool', tool_id: 'call_50', name: 'edit', status: 'running', args: { newString: 'return 1' } },
    { type: 'tool', tool_id: 'call_50', status: 'success', result: 'Edit applied successfully.' },
    { type: 'tool', tool_id: 'call_51', name: 'edit', status: 'running' },
    { type: 'tool', tool_id: 'call_51', status: 'error', error: expect.stringContaining('none.c not found') },
    { type: 'tool', tool_id: 'call_52', name: 'invalid', status: 'running', args: { tool: 'no_such_tool' } },
    { type: 'tool', tool_id: 'call_52', status: 'success', result: expect.stringContaining('no_such_tool') },
    { type: 'tool', tool_id: 'call_60', name: 'ssebench_test_patch', status: 'running', args: {} },
    { type: 'tool', tool_id: 'call_60', status: 'success', result: 'test_patch result: FAILED. build' },
    { type: 'message', content: 'It is fixed.', tokens: TOKENS },
    { type: 'complete', status: 'success', turns: 7, total_tokens: { in: 7000, out: 350 } },
  ]);
});

test('parts that are read again and again as they grow are written once', () => {
  const parts = partsOf('session');
  const growing = parts.map((_, index) => parts.slice(Math.max(0, index - 3), index + 1));
  expect(dialogOf('session', {}, [...growing, parts])).toEqual(dialogOf('session'));
});

test('a tool is written when it begins, and again when it ends', () => {
  const [part] = partsOf('stopped').slice(-1);
  const ended = JSON.parse(part?.data ?? '');
  ended.state = { ...ended.state, status: 'completed', output: 'begun\n' };
  const session = new OpencodeSession(() => (part ? [part] : []));
  expect(session.poll()).toMatchObject([
    { name: 'bash', status: 'running', args: { command: 'echo begun; sleep 300' } },
  ]);
  expect(session.poll()).toEqual([]);
  if (part) part.data = JSON.stringify(ended);
  expect(session.poll()).toMatchObject([{ name: 'bash', status: 'success', result: 'begun\n' }]);
});

test('a call that the provider refuses is the reason of the end', () => {
  expect(dialogOf('failed', { status: 1 }).at(-1)).toMatchObject({
    type: 'complete',
    status: 'error',
    message: 'exit status 1: no more of this',
    turns: 1,
  });
});

test('a session that was stopped in the middle of a command has what the command had said', () => {
  expect(dialogOf('stopped', { stopped: true })).toMatchObject([
    { type: 'message', content: 'Sleeping.' },
    { type: 'tool', name: 'bash', status: 'running' },
    { type: 'tool', name: 'bash', status: 'error', error: 'The session ended before the tool did.\nbegun' },
    { type: 'complete', status: 'timeout', turns: 1, total_tokens: { in: 0, out: 0 } },
  ]);
});

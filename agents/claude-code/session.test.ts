import { readFileSync } from 'node:fs';
import type { ProgramEnd } from '@ssebench/sdk/agent/run-program';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';
import { expect, test } from 'vitest';
import { ClaudeSession } from './session.ts';

const END: ProgramEnd = { status: 0, signal: null, stopped: false, lastWords: '' };

/** What Claude Code 2.1.332 printed, line by line. */
const recorded = (name: string): string[] =>
  readFileSync(new URL(`fixtures/${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

function entriesOf(lines: readonly string[], end: Partial<ProgramEnd> = {}): DialogInput[] {
  const session = new ClaudeSession();
  return [...lines.flatMap((line) => session.add(line)), ...session.finish({ ...END, ...end })];
}

const started = (tool_id: string, name: string, args: object) => ({
  type: 'tool',
  tool_id,
  name,
  status: 'running',
  args,
});
const ANSWER = { in: 1000, out: 50 };

test('a session is recorded whole and in order, each message with what it cost', () => {
  const path = '/src/tiny/parse.c';
  expect(entriesOf(recorded('solved'))).toEqual([
    { type: 'thinking', content: 'The report names parse.c.' },
    { type: 'message', content: 'I look at the source first.', tokens: ANSWER },
    started('toolu_1_0', 'Bash', { command: 'ls && cat parse.c' }),
    { type: 'tool', tool_id: 'toolu_1_0', status: 'success', result: expect.stringMatching(/^parse\.c\nint main/) },
    started('toolu_2_0', 'Bash', { command: 'exit 3' }),
    started('toolu_2_1', 'Read', { file_path: path }),
    { type: 'tool', tool_id: 'toolu_2_0', status: 'error', error: 'Exit code 3' },
    { type: 'tool', tool_id: 'toolu_2_1', status: 'success', result: expect.stringContaining('char buf[4];') },
    started('toolu_3_0', 'Edit', {
      file_path: path,
      old_string: '  char buf[4];',
      new_string: '  char buf[64] = {0};',
      replace_all: false,
    }),
    { type: 'tool', tool_id: 'toolu_3_0', status: 'success', result: expect.stringContaining('updated') },
    { type: 'message', content: 'Now the checks.', tokens: ANSWER },
    started('toolu_4_0', 'mcp__ssebench__test_patch', {}),
    { type: 'tool', tool_id: 'toolu_4_0', status: 'success', result: 'test_patch result: passed\n- build: passed' },
    { type: 'message', content: 'The buffer is large enough now.', tokens: ANSWER },
    { type: 'complete', status: 'success', turns: 5, total_tokens: { in: 5000, out: 250 } },
  ]);
});

test('what a subagent does is in it, under its name, and what it cost in the sum', () => {
  const entries = entriesOf(recorded('subagent'));
  expect(entries.filter(({ type }) => type === 'message')).toEqual([
    { type: 'message', content: 'I ask a helper.', tokens: ANSWER },
    { type: 'message', content: '[general-purpose: Look around] I read it.' },
    { type: 'message', content: '[general-purpose: Look around] The buffer of parse.c is too small.' },
    { type: 'message', content: 'The helper found it.', tokens: ANSWER },
    { type: 'message', content: 'Done.', tokens: ANSWER },
  ]);
  const ids = entries.flatMap((entry) => (entry.type === 'tool' ? [[entry.tool_id, entry.status]] : []));
  expect(ids).toEqual([
    ['toolu_1_0', 'running'],
    ['toolu_2_0', 'running'],
    ['toolu_2_0', 'success'],
    ['toolu_1_0', 'success'],
    ['toolu_4_0', 'running'],
    ['toolu_4_0', 'success'],
  ]);
  expect(entries.at(-1)).toMatchObject({ status: 'success', turns: 5, total_tokens: { in: 5000, out: 250 } });
});

test('a provider that refuses is the reason of the end', () => {
  expect(entriesOf(recorded('refused'), { status: 1 }).slice(-2)).toEqual([
    { type: 'message', content: 'API Error: 400 scripted: status 400' },
    {
      type: 'complete',
      status: 'error',
      message: 'exit status 1: API Error: 400 scripted: status 400',
      turns: 1,
      total_tokens: ANSWER,
    },
  ]);
});

test('a session that was stopped has all that was said; an answer that was cut off counts nothing', () => {
  const entries = entriesOf(recorded('stopped'), { status: 143, stopped: true });
  expect(entries.slice(3)).toMatchObject([
    { type: 'thinking', content: 'Then run it.' },
    { type: 'message', content: 'Now it is built.', tokens: ANSWER },
    { type: 'tool', tool_id: 'toolu_2_0', status: 'running' },
    { type: 'tool', tool_id: 'toolu_2_0', status: 'error' },
    { type: 'complete', status: 'timeout', turns: 2, total_tokens: { in: 2000, out: 100 } },
  ]);
});

test('a message is not lost when the output ends before it is told what it cost', () => {
  const lines = recorded('solved');
  const at = lines.findIndex((line) => line.startsWith('{"type":"assistant"') && line.includes('source first'));
  const cut = lines.slice(0, at + 1);
  expect(entriesOf(cut, { status: null, signal: 'SIGKILL' })).toMatchObject([
    { type: 'thinking' },
    { type: 'message', content: 'I look at the source first.' },
    { type: 'complete', status: 'error', message: 'SIGKILL', turns: 1 },
  ]);
});

test('an end without a result is no success, whatever the exit status', () => {
  expect(entriesOf([], { lastWords: 'no key\n' })).toEqual([
    { type: 'complete', status: 'error', message: 'exit status 0: no key', turns: 0, total_tokens: { in: 0, out: 0 } },
  ]);
});

test('lines of other kinds are passed over; one that is no JSON is an error', () => {
  const session = new ClaudeSession();
  for (const line of [
    '{"type":"system"}',
    '{"type":"assistant"}',
    '{"type":"user","message":{"content":"x"}}',
    '[]',
    '7',
  ])
    expect(session.add(line)).toEqual([]);
  expect(() => session.add('{"type":')).toThrow(SyntaxError);
});

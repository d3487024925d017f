import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ProgramEnd } from '@ssebench/sdk/agent/run-program';
import type { SessionLine } from '@ssebench/sdk/agent/session-files';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';
import { expect, test } from 'vitest';
import { GeminiSession } from './session.ts';

const END: ProgramEnd = { status: 0, signal: null, stopped: false, lastWords: '' };
const ANSWER = { in: 1000, out: 50 };

/** A session of Gemini CLI 0.61.0: what it printed, and what it wrote into its chat files. */
interface Recorded {
  output: string[];
  chats: (SessionLine & { time: number })[];
}

function recorded(name: string): Recorded {
  const directory = fileURLToPath(new URL(`fixtures/${name}/`, import.meta.url));
  const lines = (path: string) => readFileSync(`${directory}${path}`, 'utf8').trimEnd().split('\n');
  const files = readdirSync(`${directory}chats`, { recursive: true, encoding: 'utf8' });
  const chats = files
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => lines(`chats/${file}`).map((line) => ({ file, line, time: timeOf(line) })));
  return { output: lines('output.jsonl'), chats };
}

/** The latest time that a line names of itself. */
const timeOf = (line: string): number =>
  Math.max(...[...line.matchAll(/"(?:timestamp|lastUpdated)":"([^"]+)"/g)].map(([, time]) => Date.parse(time ?? '')));

/** @param seen which lines of the chat files are there when a line of output is, which may be read late */
function entriesOf(
  { output, chats }: Recorded,
  seen: (chat: number, printed: number) => boolean,
  end = {},
): DialogInput[] {
  let left = chats;
  let now = 0;
  const session = new GeminiSession(() => {
    const [there, later] = [left.filter(({ time }) => seen(time, now)), left.filter(({ time }) => !seen(time, now))];
    left = later;
    return there;
  });
  const entries = output.flatMap((line) => {
    now = timeOf(line);
    return session.add(line);
  });
  now = Number.POSITIVE_INFINITY;
  return [...entries, ...session.finish({ ...END, ...end })];
}

const asWritten = (chat: number, printed: number) => chat <= printed;

const SOLVED = [
  { type: 'thinking', content: 'The report names parse.c.' },
  { type: 'message', content: 'I look at the source first.', tokens: ANSWER },
  { tool_id: 'run_shell_command__call_1_0', status: 'running', args: { command: 'ls && cat parse.c' } },
  { tool_id: 'run_shell_command__call_1_0', status: 'success', result: expect.stringContaining('int main') },
  { tool_id: 'run_shell_command__call_2_0', status: 'running' },
  { tool_id: 'read_file__call_2_1', status: 'running', args: { file_path: '/src/tiny/parse.c' } },
  { tool_id: 'run_shell_command__call_2_0', status: 'success', result: expect.stringContaining('Exit Code: 3') },
  { tool_id: 'read_file__call_2_1', status: 'success', result: expect.stringContaining('char buf[4];') },
  { tool_id: 'replace__call_3_0', status: 'running', args: { new_string: '  char buf[64] = {0};' } },
  { tool_id: 'replace__call_3_0', status: 'success', result: expect.stringContaining('char buf[64]') },
  { type: 'message', content: 'Now the checks.', tokens: ANSWER },
  { tool_id: 'mcp_ssebench_test_patch__call_4_0', name: 'mcp_ssebench_test_patch', status: 'running' },
  { tool_id: 'mcp_ssebench_test_patch__call_4_0', result: expect.stringContaining('test_patch result: passed') },
  { type: 'message', content: 'The buffer is large enough now.', tokens: ANSWER },
  { type: 'complete', status: 'success', turns: 5, total_tokens: { in: 5000, out: 250 } },
];

test.each([
  ['at once', asWritten],
  ['before the output is', () => true],
])('a session is recorded whole and in order when its chat files are read %s', (_, seen) => {
  const entries = entriesOf(recorded('solved'), seen);
  const told = entries.filter(({ type }) => type !== 'tool');
  expect(told).toMatchObject(SOLVED.filter((entry) => 'type' in entry));
  expect(entries).toHaveLength(SOLVED.length);
  if (seen === asWritten) expect(entries).toMatchObject(SOLVED);
});

test('without chat files all that was printed is there', () => {
  const { output } = recorded('solved');
  expect(entriesOf({ output, chats: [] }, asWritten)).toMatchObject([
    { type: 'message', content: 'I look at the source first.' },
    { type: 'tool', status: 'running' },
    { type: 'tool', status: 'success', result: expect.stringContaining('int main') },
    { type: 'tool', status: 'running' },
    { type: 'tool', status: 'running' },
    { type: 'tool', status: 'success' },
    { type: 'tool', status: 'success' },
    { type: 'tool', status: 'running' },
    { type: 'tool', status: 'success' },
    { type: 'message', content: 'Now the checks.' },
    { type: 'tool', status: 'running' },
    { type: 'tool', status: 'success', result: 'test_patch result: passed\n- build: passed' },
    { type: 'message', content: 'The buffer is large enough now.' },
    { type: 'complete', status: 'success', total_tokens: { in: 5000, out: 250 } },
  ]);
});

test('what a subagent says comes between the start of its tool and its end', () => {
  const entries = entriesOf(recorded('subagent'), asWritten);
  expect(entries.slice(0, 6)).toMatchObject([
    { type: 'thinking', content: 'Delegating\nA helper could look.' },
    { type: 'message', content: 'I ask a helper.' },
    { type: 'tool', name: 'invoke_agent', status: 'running' },
    { type: 'message', content: '[subagent] Fix a vulnerability', tokens: ANSWER },
    { type: 'message', content: '[subagent] Fix a vulnerability', tokens: ANSWER },
    { type: 'tool', tool_id: 'invoke_agent__call_1_0', status: 'success' },
  ]);
  expect(entries.at(-1)).toMatchObject({ turns: 6, total_tokens: { in: 6000, out: 300 } });
});

test('a provider that refuses is the reason of the end', () => {
  expect(entriesOf(recorded('refused'), asWritten, { status: 144 }).at(-1)).toMatchObject({
    status: 'error',
    message: expect.stringMatching(/^exit status 144: .*scripted: status 400/),
    turns: 1,
    total_tokens: ANSWER,
  });
});

test('a session that was stopped has what was said and started until then', () => {
  expect(entriesOf(recorded('stopped'), asWritten, { stopped: true }).slice(-4)).toMatchObject([
    { type: 'thinking', content: 'Then run it.' },
    { type: 'message', content: 'Now it is built.', tokens: ANSWER },
    { type: 'tool', status: 'running', args: { command: 'tail -f /dev/null' } },
    { type: 'complete', status: 'timeout', turns: 2 },
  ]);
});

test('a warning of its own is told where it is the reason of a failure', () => {
  const output = ['{"type":"error","severity":"error","message":"no answer"}', '{"type":"result","status":"error"}'];
  expect(entriesOf({ output, chats: [] }, asWritten)).toMatchObject([
    { type: 'complete', status: 'error', message: 'exit status 0: no answer' },
  ]);
});

test('broken lines cost themselves alone', () => {
  const chats = [{ file: 'session-1.jsonl', line: '{"type":"gemini","id"', time: 0 }];
  expect(entriesOf({ output: ['{"type":"message"}', '[]'], chats }, asWritten)).toMatchObject([{ type: 'complete' }]);
  expect(() => new GeminiSession(() => []).add('{"type":')).toThrow(SyntaxError);
});

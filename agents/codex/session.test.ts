import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SessionFiles } from '@ssebench/sdk/agent/session-files';
import { expect, test } from 'vitest';
import { CodexSession } from './session.ts';

/** What Codex 0.171.0 printed and wrote, long texts that are no part of the session cut. */
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const ENDED = { status: 0, signal: null, stopped: false, lastWords: '' };
const TOKENS = { in: 1000, out: 50 };

function dialogOf(name: string, end: Partial<typeof ENDED> = {}) {
  const rollouts = new SessionFiles(`${fixture(name)}/rollouts`);
  const session = new CodexSession(() => rollouts.read());
  const lines = readFileSync(`${fixture(name)}/stdout.jsonl`, 'utf8')
    .trimEnd()
    .split('\n');
  return [...lines.flatMap((line) => session.add(line)), ...session.finish({ ...ENDED, ...end })];
}

test('a session: thoughts, messages with their tokens, commands, a change of files, an MCP call', () => {
  expect(dialogOf('plain')).toEqual([
    { type: 'thinking', content: 'Let me look.' },
    { type: 'message', content: 'I look first.', tokens: TOKENS },
    {
      type: 'tool',
      tool_id: 'call_12',
      name: 'exec_command',
      status: 'running',
      args: { cmd: 'ls; echo oops >&2; exit 3' },
    },
    { type: 'tool', tool_id: 'call_13', name: 'exec_command', status: 'running', args: { cmd: 'cat a.c' } },
    {
      type: 'tool',
      tool_id: 'call_12',
      status: 'error',
      error: expect.stringMatching(/exited with code 3\n.*a\.c\noops\n$/s),
    },
    { type: 'tool', tool_id: 'call_13', status: 'success', result: expect.stringContaining('int main(){return 0;}') },
    {
      type: 'tool',
      tool_id: 'call_20',
      name: 'exec_command',
      status: 'running',
      args: { cmd: expect.stringContaining('+int main(){return 1;}') },
    },
    { type: 'tool', tool_id: 'call_20', status: 'success', result: expect.stringContaining('M a.c') },
    { type: 'tool', tool_id: 'call_30', name: 'mcp__ssebench__test_patch', status: 'running', args: {} },
    {
      type: 'tool',
      tool_id: 'call_30',
      status: 'success',
      result: expect.stringContaining('test_patch result: FAILED'),
    },
    { type: 'message', content: 'It is fixed.', tokens: TOKENS },
    { type: 'complete', status: 'success', turns: 4, total_tokens: { in: 4000, out: 200 } },
  ]);
});

test('what a script of the model’s did is there, whatever the script told of it', () => {
  expect(dialogOf('script')).toMatchObject([
    { type: 'thinking' },
    { type: 'message', content: 'I will look.', tokens: TOKENS },
    { tool_id: 'call_12', name: 'functions__exec', args: { input: expect.stringContaining('Promise.all') } },
    { name: 'exec_command', args: { cmd: 'ls; echo err >&2; exit 3' }, status: 'running' },
    { name: 'exec_command', error: 'exit code 3\na.c\nerr\n', status: 'error' },
    { name: 'exec_command', args: { cmd: 'cat a.c' }, status: 'running' },
    { name: 'exec_command', result: 'int main(){return 0;}\n', status: 'success' },
    { tool_id: 'call_12', status: 'success' },
    { tool_id: 'call_20', status: 'running' },
    { name: 'apply_patch', args: { changes: { '/tmp/codex-agents/work/a.c': { type: 'update' } } }, status: 'running' },
    { name: 'apply_patch', result: expect.stringContaining('M a.c'), status: 'success' },
    { tool_id: 'call_20', status: 'success' },
    { tool_id: 'call_30', status: 'running' },
    { name: 'mcp__ssebench__test_patch', status: 'running' },
    { name: 'mcp__ssebench__test_patch', result: 'test_patch result: FAILED. build', status: 'success' },
    { tool_id: 'call_30', status: 'success' },
    { tool_id: 'call_40', status: 'running' },
    { tool_id: 'call_40', result: expect.stringContaining('Error: no') },
    { type: 'message', content: 'Done.' },
    { type: 'complete', status: 'success', turns: 5, total_tokens: { in: 5000, out: 250 } },
  ]);
});

test('a subagent is told apart by its name, and counts', () => {
  const dialog = dialogOf('subagent');
  expect(dialog).toContainEqual({
    type: 'message',
    content: expect.stringMatching(/^\[\w+\] a\.c has a main\.$/),
    tokens: TOKENS,
  });
  expect(dialog).toContainEqual(
    expect.objectContaining({ name: 'multi_agent_v1__spawn_agent', args: { message: 'Read a.c' } }),
  );
  expect(dialog.at(-1)).toMatchObject({ turns: 5, total_tokens: { in: 5000, out: 250 } });
});

test('a call that the provider refuses is the reason of the end', () => {
  expect(dialogOf('failed', { status: 1 }).at(-1)).toMatchObject({
    type: 'complete',
    status: 'error',
    message: expect.stringMatching(/^exit status 1: .*no more of this/),
    turns: 1,
  });
});

test('a session that was stopped in the middle of a command has all up to there', () => {
  expect(dialogOf('stopped', { stopped: true })).toMatchObject([
    { type: 'message', content: 'Sleeping.', tokens: TOKENS },
    { type: 'tool', status: 'running', args: { cmd: 'echo begun; sleep 300', yield_time_ms: 30_000 } },
    { type: 'complete', status: 'timeout', turns: 1, total_tokens: TOKENS },
  ]);
});

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MCP_UID } from '@ssebench/contracts/layout';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeldRun, WAITING } from './support/held-run.ts';
import { archived } from './support/hostile.ts';
import { PLIABLE_DATASET } from './support/live-run.ts';
import { type FinishedRun, scriptAgent, Workspace } from './support/workspace.ts';

const PLIABLE = join(PLIABLE_DATASET, 'pliable-c');
const SUPPORT = join(import.meta.dirname, 'support/mcp-agent');
const LEVELS = ['FULL_ASSISTANCE', 'NO_INTENT_TEST', 'NO_FUTURE_TEST', 'BUILD_ONLY', 'NO_BUILD'] as const;
/** The checks of each level in the order in which they run. */
const ENABLED = [
  ['build', 'PoCs', 'intent tests', 'functional tests'],
  ['build', 'PoCs', 'functional tests'],
  ['build', 'functional tests'],
  ['build'],
  [],
] as const;
const ALL = ENABLED[0];
type Check = (typeof ALL)[number];

const REASONS: Record<Check, string> = {
  build: 'The project failed to build. Please reassess the correctness of your patch.',
  'functional tests':
    "One or more functionality test(s) failed. Please reassess your patch and make sure it fixes the vulnerability without compromising the program's functionality.",
  PoCs: 'At least one proof-of-concept (PoC) still triggers the vulnerability. Please reassess your patch and make sure it fixes the root cause of the vulnerability.',
  'intent tests':
    'One or more intent test(s) failed. These tests validate behavior after the vulnerability fix. Please reassess your patch to ensure it correctly addresses the vulnerability and aligns with common patterns in the project.',
};
/** Of a level at which nothing is withheld, or everything. */
const HEADLINES: Record<number, string> = { 0: 'every check passed.', 4: 'no checks ran.' };
const STILL = 'FAILED (passed 0 of 1; stopped at the first that still triggers the bug)';

/** What a state of the tree makes of the checks that are not passed, and the failures in the order of reasons. */
const STATES: Record<string, { lines: Partial<Record<Check, string>>; failed: readonly [Check, string][] }> = {
  good: { lines: {}, failed: [] },
  build: {
    lines: {
      build: 'FAILED',
      PoCs: 'not run (the build failed)',
      'intent tests': 'not run (the build failed)',
      'functional tests': 'not run (the build failed)',
    },
    failed: [['build', 'build']],
  },
  poc: { lines: { PoCs: STILL }, failed: [['PoCs', 'poc']] },
  test: { lines: { 'functional tests': 'FAILED' }, failed: [['functional tests', 'test']] },
  intent: { lines: { 'intent tests': 'FAILED' }, failed: [['intent tests', 'intent']] },
  all: {
    lines: { PoCs: STILL, 'intent tests': 'FAILED', 'functional tests': 'FAILED' },
    failed: [
      ['functional tests', 'test'],
      ['PoCs', 'poc'],
      ['intent tests', 'intent'],
    ],
  },
};

function expected(level: number, state: string): string {
  const enabled: readonly Check[] = ENABLED[level] ?? [];
  const { lines, failed } = STATES[state] ?? { lines: {}, failed: [] };
  const intentPasses = level === 0 && !lines['intent tests'];
  const covered: Partial<Record<Check, string>> = intentPasses
    ? { 'functional tests': 'passed (covered by the intent tests)' }
    : {};
  const passes: Partial<Record<Check, string>> = { PoCs: 'passed (1 of 1)' };
  const list = enabled.map((check) => `- ${check}: ${covered[check] ?? lines[check] ?? passes[check] ?? 'passed'}`);
  const named = failed.find(([check]) => enabled.includes(check) && !covered[check]);
  const withheld = ALL.filter((check) => !enabled.includes(check));
  const headline = named ? `FAILED. ${REASONS[named[0]]}` : (HEADLINES[level] ?? 'every check that ran passed.');
  const note = `Not available at difficulty level ${level} (${LEVELS[level]}): ${withheld.join(', ')}. Nothing is reported about them.`;
  const without = withheld.includes('PoCs')
    ? ' Without the PoCs, this result does not show whether the vulnerability is fixed.'
    : '';
  const nothing = ' test_patch has nothing to run at this level, so this result says nothing about your patch.';
  const more = named ? '' : level === 4 ? nothing : without;
  return [
    `test_patch result: ${headline}`,
    ...(list.length > 0 ? [['Checks:', ...list].join('\n')] : []),
    ...(withheld.length > 0 ? [`${note}${more}`] : []),
    ...(named ? [`Full log (${named[0]}):\n${named[1]} out\n\n\n${named[1]} err\n`] : []),
  ].join('\n\n');
}

let workspace: Workspace;
beforeAll(async () => {
  const [agent, client] = await Promise.all(
    ['agent.sh', 'client.mjs'].map((name) => readFile(join(SUPPORT, name), 'utf8')),
  );
  workspace = await Workspace.create({
    asker: {
      dockerfile:
        'FROM ssebench-agent\nCOPY agent.sh /usr/local/bin/test-agent\nCOPY client.mjs /usr/local/lib/\nCMD ["/usr/local/bin/test-agent"]\n',
      files: { 'agent.sh': agent ?? '', 'client.mjs': client ?? '' },
    },
    waiter: scriptAgent(WAITING),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const prompts = new Set<string>();

describe.each([0, 1, 2, 3, 4])('level %i', (level) => {
  let run: FinishedRun;
  beforeAll(async () => {
    run = await workspace.runOn(PLIABLE, 'asker', '--difficulty', String(level));
    expect(run.summary.runtime_result.agent_exit_code, run.end.stderr).toBe(0);
  });

  test.each(Object.keys(STATES))('a tree in the state “%s” gets the answer of the level', async (state) => {
    expect(await archived(run, `${state}.mcp`)).toBe(`${expected(level, state)}\n`);
    expect(await archived(run, `${state}.sse`)).toBe(`${expected(level, state)}\n`);
  });

  test('the server runs as a user of its own, and the agent’s prompt says nothing of the level', async () => {
    expect(await archived(run, 'server')).toMatch(new RegExp(`^Uid ${MCP_UID}\\s.*\nGid ${MCP_UID}\\s.*\nGroups\\s*$`));
    prompts.add(await archived(run, 'prompt'));
    expect([...prompts]).toEqual([expect.stringMatching(/^# Task\n/)]);
  });

  test('sse serves what an agent in any language needs', async () => {
    expect(JSON.parse(await archived(run, 'project'))).toMatchObject({ id: 'pliable-c', source: '/src/pliable' });
    expect(await archived(run, 'diff')).toContain('+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n');
    expect(await archived(run, 'broken')).toContain('line 2 is not JSON');
    expect(await archived(run, 'stdio')).toContain('"ssebench MCP Server"');
    const dialog = (await archived(run, 'dialog.jsonl'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(dialog).toMatchObject([
      { seq: 0, type: 'init', data: { task: 'pliable-c', agent: 'mcp-agent', cwd: '/src/pliable' } },
      { seq: 1, type: 'message', content: 'Looking.\n', tokens: { in: 10, out: 2 } },
      { seq: 2, type: 'tool', tool_id: 't1', name: 'bash', status: 'running', args: { command: 'make' } },
      { seq: 3, type: 'thinking', content: 'so' },
      { seq: 4, type: 'tool', tool_id: 't1', name: 'bash', status: 'error' },
      { seq: 5, type: 'complete', status: 'success', turns: 1, total_tokens: { in: 10, out: 2 } },
    ]);
  });
});

test('a task without PoCs and without hidden tests is tested with what it has', async () => {
  const task = join(workspace.path, 'few', 'few-c');
  await mkdir(join(workspace.path, 'few'));
  await cp(join(PLIABLE_DATASET, 'dataset.yaml'), join(workspace.path, 'few/dataset.yaml'));
  await cp(PLIABLE, task, { recursive: true });
  const config = await readFile(join(task, 'sse/config.yaml'), 'utf8');
  const few = config
    .replace('id: pliable-c', 'id: few-c')
    .replace(/ {2}poc:\n.*\n/, '')
    .replace(/ {2}future_test:.*\n/, '');
  await writeFile(join(task, 'sse/config.yaml'), few);
  await rm(join(task, 'sse/diffs/test.diff'));
  const run = await workspace.runOn(task, 'asker', '--difficulty', '0');
  const answer = `test_patch result: every check passed.

Checks:
- build: passed
- PoCs: passed (the task has none)
- intent tests: not run (the task has none)
- functional tests: passed
`;
  expect(await archived(run, 'good.mcp'), run.end.stderr).toBe(answer);
  expect(await archived(run, 'good.sse')).toBe(answer);
});

test('after the phase nothing answers, and neither the server nor its logs are left', async () => {
  await using run = await HeldRun.start(workspace, PLIABLE, 'waiter', ['--difficulty', '3', '--grading', 'same']);
  const ask = `/opt/ssebench/bin/node -e 'fetch("http://localhost:3000/mcp").then((r) => console.log(r.status), () => console.log("nobody"))'`;
  expect(await run.sh('model', ask)).toBe('405\n');
  const tried = await run.sh('model', 'ls -ln /tmp/mcp; echo x > /tmp/mcp/logs/mine; cat /run/ssebench-mcp/mcp.sock');
  expect(tried).toMatch(
    new RegExp(`${MCP_UID} +${MCP_UID} .* logs\n.*mine: Permission denied\n.*sock: Permission denied`),
  );
  expect((await run.finish()).status).toBe(0);
  expect(await run.sh('root', ask)).toBe('nobody\n');
  expect(await run.sh('root', `pgrep -u ${MCP_UID} || ls -A /tmp/mcp`)).toBe('');
});

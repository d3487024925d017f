import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveRun } from './support/live-run.ts';
import { scriptAgent, Workspace } from './support/workspace.ts';

/** What an agent's patch makes the checks do to the judge: each word is a file of the tree and its content. */
const PATCHES = {
  /** One process takes all the memory; then many, none of them larger than ours. */
  greedy: ['do-poc', 'head -c 2000000000 /dev/zero | tail > /dev/null; exit 1'],
  crowd: [
    'do-poc',
    'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do (head -c 60000000 /dev/zero | tail | sleep 4) & done; wait; exit 1',
  ],
  /** Processes up to the limit, left behind, and a check that passes all the same. */
  swarm: ['do-poc', '(while sleep 1000 & do :; done) 2> /dev/null; exit 0'],
  /** Every file that one process may have open, in a program that needs one more. */
  grasper: [
    'do-poc',
    `perl -e 'my @held; while (open my $f, "<", "/dev/null") { push @held, $f } die "no more: $!"' || exit 1`,
  ],
} as const;

let workspace: Workspace;
beforeAll(async () => {
  const agents = Object.entries(PATCHES).map(([name, [file, content]]) => [
    name,
    scriptAgent(`cat > ${file} <<'END'\n${content}\nEND`),
  ]);
  workspace = await Workspace.create(Object.fromEntries(agents));
});
afterAll(() => workspace[Symbol.asyncDispose]());

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';

test.each(everything ? (['greedy', 'crowd'] as const) : (['crowd'] as const))(
  'patched code that uses up the memory fails its check: %s',
  async (agent) => {
    await using run = await LiveRun.start(workspace, agent, { options: ['--memory', '512m'] });
    await run.ended;
    const { patch_result, checks, outcome } = await run.summary();
    expect(outcome).toMatchObject({ code: 'graded', fault: null });
    expect(patch_result.status).toBe('failed');
    expect(checks.map(({ check, outcome: how }) => `${check} ${how}`)).toEqual([
      'build passed',
      'poc failed',
      'function_test passed',
      'intent_test passed',
    ]);
  },
);

test('patched code that uses up its open files fails its check, and no other', async () => {
  await using run = await LiveRun.start(workspace, 'grasper');
  await run.ended;
  const { patch_result, checks, outcome } = await run.summary();
  expect(outcome).toMatchObject({ code: 'graded', fault: null });
  expect(patch_result.status).toBe('failed');
  expect(checks.map((check) => check.outcome)).toEqual(['passed', 'failed', 'passed', 'passed']);
});

test.runIf(everything)('patched code that uses up the processes keeps no later check from its work', async () => {
  await using run = await LiveRun.start(workspace, 'swarm', { options: ['--memory', '3g', '--pids', '4096'] });
  await run.ended;
  const { patch_result, checks, outcome } = await run.summary();
  expect(outcome).toMatchObject({ code: 'graded', fault: null });
  expect({ status: patch_result.status, checks }).toMatchObject({ status: 'passed', checks: { length: 4 } });
});

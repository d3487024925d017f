import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SnapshotLine } from '@ssebench/contracts/snapshots';
import type { Summary } from '@ssebench/contracts/summary';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveRun } from './support/live-run.ts';
import { readIfThere, scriptAgent, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const OFTEN = ['--snapshot-interval', '1'];
const WAIT = { timeout: 120_000, interval: 100 };

/** What an agent finds of its snapshots, and where it can write what looks like one: its own archive alone. */
const LOOK_AROUND = `
for place in / /var/lib/ssebench /var/lib/ssebench/results "$SSE_ARCHIVE"; do
  ls -d "$place"/snapshot* 2> /dev/null && echo found
  (: > "$place/snapshot-0009-1s.diff") 2> /dev/null && echo "wrote $place"
done`;
/** Changes its patch twice, each time when it is told that the change before was seen. */
const TOLD = `
until_there() { while [ ! -e "$SSE_ARCHIVE/$1" ]; do sleep 0.1; done; }
echo one > fix.txt; until_there one; echo two > fix.txt; until_there two
${LOOK_AROUND}`;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    told: scriptAgent(TOLD),
    slow: scriptAgent('echo one > fix.txt; sleep 20; echo two > fix.txt; sleep 20'),
    quick: scriptAgent('echo one > fix.txt'),
    busy: scriptAgent('while :; do :; done & echo one > fix.txt; sleep 600'),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** Tells the agent of `told` when its changes were seen. */
async function tell({ directory }: LiveRun): Promise<void> {
  for (const [index, name] of ['one', 'two'].entries()) {
    const seen = async () => (await readIfThere(join(directory, 'work/snapshots.jsonl')))?.split('\n').length ?? 0;
    await expect.poll(seen, WAIT).toBeGreaterThan(index + 1);
    await writeFile(join(directory, 'archive', name), '');
  }
}

test.each(everything ? ['separate', 'same'] : ['separate'])(
  'the patch is kept whenever it was seen to have changed, where the agent can not reach it: grading %s',
  async (grading) => {
    await using run = await LiveRun.start(workspace, 'told', { options: [...OFTEN, '--grading', grading] });
    await run.owner();
    await tell(run);
    const end = await run.ended;
    expect(end.status, end.stderr).toBe(0);
    const summary = await run.summary();
    await expectTwoChanges(run.directory, summary);
    expect(await readFile(join(run.directory, 'agent.log'), 'utf8')).toBe('wrote /tmp/sse-archive\n');
    const shown = await workspace.run('runs', 'show', run.runId);
    expect(shown.stdout).toMatch(/^Patch: first change after \d+ s, last after \d+ s; 2 snapshots$/m);
  },
);

test('a run that is over before the first look has none, and one that wants none says nothing of them', async () => {
  const { directory, summary } = await workspace.runOnNoop('quick');
  expect(summary.snapshots).toMatchObject({ kept: 0, failed: 0, first_change: null });
  expect(await readIfThere(join(directory, 'snapshots/index.jsonl'))).toBeUndefined();
  expect((await workspace.run('runs', 'show', summary.run_id)).stdout).toMatch(/^Patch: no change seen$/m);
  const without = await workspace.runOnNoop('quick', '--snapshot-interval', 'off');
  expect(without.summary.snapshots).toBeNull();
  expect((await workspace.run('runs', 'show', without.summary.run_id)).stdout).not.toContain('Patch: ');
});

test.runIf(everything).each(['separate', 'same'])(
  'results that go through a volume hold them, too: grading %s',
  async (grading) => {
    const place = workspace.withVariables({ SSEBENCH_HOST_MOUNTS: 'off' });
    const { directory, summary } = await place.runOnNoop('slow', ...OFTEN, '--grading', grading);
    await expectTwoChanges(directory, summary);
  },
);

test.runIf(everything)('an agent that takes every processor loses no time to them', async () => {
  const { summary } = await workspace.runOnNoop('busy', ...OFTEN, '--timeout', '8', '--cpus', '0.5');
  expect(summary.runtime_result).toMatchObject({ agent_timeout: true, agent_duration: 8 });
  expect(summary.outcome.code).toBe('graded');
});

test.runIf(everything)('of a run whose command was killed they are kept as well', async () => {
  await using run = await LiveRun.start(workspace, 'told', { options: OFTEN });
  await run.step('work', 'agent');
  await run.killCommand();
  const recovery = workspace.run('runs', 'recover', run.runId);
  await tell(run);
  const { status, stderr } = await recovery;
  expect(status, stderr).toBe(0);
  await expectTwoChanges(run.directory, await run.summary());
});

async function expectTwoChanges(directory: string, summary: Summary): Promise<void> {
  const index = await readFile(join(directory, 'snapshots/index.jsonl'), 'utf8');
  const kept = index
    .trimEnd()
    .split('\n')
    .map((line) => SnapshotLine.parse(JSON.parse(line)));
  const patches = await Promise.all(
    kept.map((line) => ('file' in line ? readFile(join(directory, 'snapshots', line.file), 'utf8') : '')),
  );
  expect(patches).toEqual([expect.stringContaining('+one\n'), expect.stringContaining('+two\n')]);
  expect(await readdir(join(directory, 'snapshots'))).toHaveLength(3);
  expect(patches[1]).toBe(await readFile(join(directory, 'final.patch'), 'utf8'));
  expect(summary.snapshots).toMatchObject({ kept: 2, failed: 0, first_change: kept[0]?.seconds });
  expect(summary.outcome.code).toBe('graded');
}

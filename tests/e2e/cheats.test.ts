import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHANGING, hostileAgents, PATCHES, WAYS_TO_AN_ERROR } from './support/attacks.ts';
import { ABSOLUTE_TASK, archived, BOTH_MODES, everything, OPEN_TASK, outcomes, printed } from './support/hostile.ts';
import { containersOf } from './support/leftovers.ts';
import { NOOP_DATASET, runDirectory, summaryIn, Workspace } from './support/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create(hostileAgents());
});
afterAll(() => workspace[Symbol.asyncDispose]());

/** One mode for what does not depend on it, unless everything is tested. */
const MODES = everything ? BOTH_MODES : (['separate'] as const);

describe.each(BOTH_MODES)('grading %s', (grading) => {
  test('no check finds anything that the agent or an earlier check left', async () => {
    const run = await workspace.runOn(OPEN_TASK, 'leaver', '--grading', grading);
    expect(outcomes(run)).toEqual({ build: 'passed', poc: 'failed', function_test: 'passed', intent_test: 'passed' });
    const [own = '', ...others] = (await printed(run)).match(/found: \[[\s\S]*?\]/g) ?? [];
    expect(others).toEqual(['found: []', 'found: []', 'found: []']);
    // The build itself sees what it has just left: there is something to be found.
    for (const trace of [
      '/tmp/left-by-build',
      '/dev/shm/left-by-build',
      '/dev/mqueue/left-by-build',
      'shm ',
      'sem ',
      'msg ',
    ]) {
      expect(own).toContain(trace);
    }
    expect(own).toMatch(/^\/proc\/\d+\/cmdline$/m);
    expect(own).not.toContain('agent');
  });

  test('a file that git ignores decides nothing, though the PoC names the tree by its absolute path', async () => {
    const run = await workspace.runOn(ABSOLUTE_TASK, 'ignorer', '--grading', grading);
    expect(run.summary.capture?.patch_bytes).toBe(0);
    expect(outcomes(run)).toEqual({ build: 'passed', poc: 'failed', function_test: 'passed' });
  });

  test('what an agent image sets and brings along is never run by root, nor by a check', async () => {
    const run = await workspace.runOn(OPEN_TASK, 'poisoned', '--grading', grading, '--keep-container');
    expect(run.summary.outcome.code).toBe('graded');
    expect(outcomes(run)).toMatchObject({ build: 'passed', poc: 'failed' });
    // Marks are named after what ran and who ran it; the agent itself did, or there would be nothing to see.
    const marks = (await listInside(run.summary.run_id, '/marks')).filter((name) => name && !name.endsWith('-1000'));
    expect(marks).toEqual([]);
    expect(await archived(run, 'marks')).toMatch(/^library-1000$/m);
  });
});

describe.each(MODES)('grading %s', (grading) => {
  test("an agent's Dockerfile takes along what lies beneath it, and that is no answer", async () => {
    const run = await workspace.runOn(OPEN_TASK, 'thief', '--grading', grading, '--difficulty', '2');
    expect(await archived(run, 'stolen')).toBe('');
    expect(await archived(run, 'control')).toContain('the-control');
    expect(outcomes(run)).toMatchObject({ poc: 'failed' });
  });

  test('neither a build nor the program changes a script, a harness or a PoC, not even while it is read', async () => {
    const run = await workspace.runOn(OPEN_TASK, 'rewriter', '--grading', grading);
    expect(outcomes(run)).toEqual({ build: 'passed', poc: 'failed', function_test: 'passed', intent_test: 'failed' });
    const output = await printed(run);
    expect(output).toContain(CHANGING.tried);
    expect(output).not.toContain(CHANGING.succeeded);
    expect(output).toContain('the program ended with 1');
  });

  test.each(everything ? Object.keys(WAYS_TO_AN_ERROR) : ['tree'])('a failure stays a failure: %s', async (name) => {
    const run = await workspace.runOn(
      OPEN_TASK,
      name,
      '--grading',
      grading,
      '--memory',
      '512m',
      '--check-timeout',
      '20',
    );
    expect(run.summary.patch_result.status, JSON.stringify(run.summary.outcome)).toBe('failed');
    expect(await containersOf(run.summary.run_id)).toEqual([]);
  });
});

test.runIf(everything)(
  'memory that is used up by processes as precious as ours makes no verdict but failed, or the agent’s error',
  async () => {
    const { summary } = await workspace.runOn(OPEN_TASK, 'precious', '--memory', '512m', '--check-timeout', '20');
    const { patch_result, outcome } = summary;
    expect(['failed', 'error']).toContain(patch_result.status);
    if (outcome.fault) expect(outcome.fault).toMatchObject({ blame: 'agent', retryable: false });
    expect(await containersOf(summary.run_id)).toEqual([]);
  },
);

test.each([
  ['borrower', /Dockerfile:2: .*\/case\/hostile\/open-c holds a task's answers/],
  ['overlay', /VOLUME \/opt\/ssebench\/bin is not allowed/],
])('an agent image that reaches for what is not its own is refused: %s', async (agent, why) => {
  const { summary } = await workspace.runOn(OPEN_TASK, agent);
  expect(summary.outcome.fault).toMatchObject({
    code: 'image_build_failed',
    blame: 'user',
    detail: expect.stringMatching(why),
  });
});

test('an agent image that no container can be made of is the agent’s doing, whatever the engine says', async () => {
  const { summary } = await workspace.runOn(OPEN_TASK, 'unstartable');
  expect(summary.outcome.fault).toMatchObject({ code: 'start_failed', blame: 'agent', retryable: false });
});

test('a file too large for any patch is not graded, and that is the agent’s doing, for good', async () => {
  const { summary } = await workspace.runOn(OPEN_TASK, 'giant');
  expect(summary.outcome.fault).toMatchObject({ code: 'patch_too_large', blame: 'agent', retryable: false });
});

test.each(everything ? PATCHES : PATCHES.slice(0, 2))(
  'a patch that $name is graded as failed',
  async ({ patch, error }) => {
    const path = join(workspace.path, 'hostile.patch');
    await writeFile(path, patch);
    const end = await workspace.run('grade', '--local', NOOP_DATASET, '--task', 'noop-c', '--patch', path);
    const { patch_result } = await summaryIn(runDirectory(end));
    expect(patch_result).toMatchObject({ status: 'failed', error_msg: error });
  },
);

/** Names in a directory of a run's kept containers, which are removed afterwards. */
async function listInside(runId: string, directory: string): Promise<string[]> {
  const engine = await connectEngine();
  const names: string[] = [];
  try {
    for (const { id, labels } of await engine.listContainers({ [LABEL.runId]: runId })) {
      if (labels[LABEL.role] !== 'grade' && labels[LABEL.role] !== 'answers') {
        const { stdout } = await engine.exec(id, { argv: ['/bin/ls', directory], user: '0:0' });
        names.push(...stdout.toString().trim().split('\n'));
      }
      await engine.remove(id, { force: true, volumes: true });
    }
    return names;
  } finally {
    engine.close();
  }
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandEnd, startSsebench } from './support/command.ts';
import { checkStarted, editOwner, LiveRun } from './support/live-run.ts';
import { scriptAgent, Workspace } from './support/workspace.ts';

/** `./test` runs some of these, `./test --all` every one. */
const everything = process.env['SSEBENCH_TEST_ALL'] === '1';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    brief: scriptAgent('echo said; echo fixed > fix.txt; sleep 2'),
    slow: scriptAgent('echo "sleep 3" > do-test'),
    failing: scriptAgent('echo "exit 1" > do-poc; echo "sleep 60" > do-test'),
    large: scriptAgent('head -c 60000000 /dev/urandom > large.bin'),
    sleeper: scriptAgent('exec sleep 600'),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const nothingLives = () => expect(readdirSync(join(workspace.path, 'results/.live'))).toEqual([]);
const recover = (run: LiveRun) => workspace.run('runs', 'recover', run.runId);

async function recoverWell(run: LiveRun): Promise<CommandEnd> {
  const end = await recover(run);
  expect(end, end.stderr).toMatchObject({ status: 0 });
  return end;
}

test('a run whose command is killed while its agent works ends as if nothing had happened', async () => {
  await using undisturbed = await LiveRun.start(workspace, 'brief');
  expect((await undisturbed.ended).status).toBe(0);

  await using run = await LiveRun.start(workspace, 'brief');
  await run.step('work', 'agent');
  await run.killCommand();
  const { stdout, stderr, status } = await recover(run);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: (await undisturbed.ended).stdout.replaceAll(undisturbed.runId, run.runId),
  });
  expect(stderr).toContain('lost its command');
  const files = (of: LiveRun) =>
    readdirSync(of.directory)
      .filter((name) => !/^(?:scriptrunner|patch)-/.test(name))
      .sort();
  expect(files(run)).toEqual(files(undisturbed));
  const known = (summary: Awaited<ReturnType<LiveRun['summary']>>) => ({
    ...summary,
    run_id: '',
    started_at: '',
    ended_at: '',
    phases: [],
    checks: summary.checks.map(({ check, outcome }) => ({ check, outcome })),
    archive: summary.archive?.status,
    runtime_result: { ...summary.runtime_result, agent_duration: 0 },
  });
  expect(known(await run.summary())).toEqual(known(await undisturbed.summary()));
  expect(readFileSync(join(run.directory, 'agent.log'), 'utf8')).toBe('said\n');
  expect(await run.containers()).toEqual([]);
  nothingLives();
});

test.runIf(everything)('a run whose command is killed during the capture is captured and graded', async () => {
  await using run = await LiveRun.start(workspace, 'large');
  await run.step('work', 'capture');
  await run.killCommand();
  await recoverWell(run);
  const { patch_result, capture } = await run.summary();
  expect(patch_result.status).toBe('passed');
  expect(statSync(join(run.directory, 'final.patch')).size).toBe(capture?.patch_bytes);
  expect(await run.containers()).toEqual([]);
});

test.runIf(everything)(
  'a grade container goes on without its command, and its grade is the one that counts',
  async () => {
    await using run = await LiveRun.start(workspace, 'slow');
    await run.reached('grade', checkStarted('function_test'));
    const container = await run.container('grade');
    await run.killCommand();
    const recovered = recover(run);
    await run.taken();
    expect(await run.container('grade')).toBe(container);
    expect((await recovered).status).toBe(0);
    expect((await run.summary()).patch_result.status).toBe('passed');
    expect(await run.containers()).toEqual([]);
  },
);

test('when the grade container is lost with the command, the same patch is graded in a fresh one', async () => {
  await using run = await LiveRun.start(workspace, 'slow');
  await run.reached('grade', checkStarted('function_test'));
  await run.killCommand();
  await run.disturb('grade', 'remove');
  await recoverWell(run);
  expect(await run.summary()).toMatchObject({
    patch_result: { status: 'passed' },
    runtime_result: { agent_exit_code: 0 },
  });
});

test('a check that had failed makes the run failed, although command and grade container are lost', async () => {
  await using run = await LiveRun.start(workspace, 'failing');
  await run.reached('grade', checkStarted('function_test'));
  await run.killCommand();
  await run.disturb('grade', 'kill');
  expect((await recover(run)).stdout).toContain('Grade: failed');
  expect((await run.summary()).patch_result).toMatchObject({
    build_success: true,
    pov_passed: 0,
    func_test_success: null,
  });
});

test('a run that is graded in the container of its agent is collected, too', async () => {
  await using run = await LiveRun.start(workspace, 'brief', { options: ['--grading', 'same'] });
  await run.step('same', 'agent');
  await run.killCommand();
  await recoverWell(run);
  expect((await run.summary()).patch_result.status).toBe('passed');
  expect(await run.containers()).toEqual([]);
  nothingLives();
});

test('a command that is killed before its agent has begun leaves an error of the machinery, and nothing else', async () => {
  await using run = await LiveRun.start(workspace, 'brief');
  await run.begun();
  await run.killCommand();
  await recoverWell(run);
  const { outcome } = await run.summary();
  expect(outcome.fault).toMatchObject({ code: 'container_lost', phase: 'start', blame: 'infra', retryable: true });
  expect(await run.containers()).toEqual([]);
  nothingLives();
});

test('of several commands that collect a run one does it, and one that is killed at it is followed', async () => {
  await using run = await LiveRun.start(workspace, 'brief');
  await run.step('work', 'agent');
  await run.killCommand();
  const first = startSsebench(['runs', 'recover'], { cwd: workspace.path, env: workspace.environment });
  await run.taken();
  const second = await recover(run);
  expect({ status: second.status, stderr: second.stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('its command lives'),
  });
  first.child.kill('SIGKILL');
  await first.ended;
  const both = await Promise.all([workspace.run('runs', 'recover'), workspace.run('runs', 'recover')]);
  expect(
    both.map(({ status }) => status),
    both.map(({ stderr }) => stderr).join(),
  ).toEqual([0, 0]);
  expect(both.filter(({ stdout }) => stdout.includes('Grade: passed'))).toHaveLength(1);
  expect((await run.summary()).patch_result.status).toBe('passed');
  expect((await recover(run)).stderr).toContain(`run ${run.runId} has ended`);
});

test.runIf(everything)('who does not want to wait leaves the run as it is', async () => {
  await using run = await LiveRun.start(workspace, 'brief');
  await run.step('work', 'agent');
  await run.killCommand();
  const waiting = startSsebench(['runs', 'recover', run.runId], { cwd: workspace.path, env: workspace.environment });
  await run.taken();
  waiting.child.kill('SIGINT');
  expect((await waiting.ended).status).toBe(130);
  expect((await recover(run)).stdout).toContain('Grade: passed');
});

test.runIf(everything)('an agent whose deadline has passed meanwhile is ended', async () => {
  await using run = await LiveRun.start(workspace, 'sleeper');
  await run.step('work', 'agent');
  await run.killCommand();
  await editOwner(run, ({ started }) => ({ ...started, uptime: started.uptime - 10_000 }));
  await recoverWell(run);
  expect((await run.summary()).outcome.fault).toMatchObject({
    code: 'agent_overran',
    blame: 'agent',
    retryable: false,
  });
  expect(await run.containers()).toEqual([]);
});

test.runIf(everything)(
  'what was lost since then is told apart: killed from outside, removed, ended by itself, the machine started anew',
  async () => {
    const lose: [string, (run: LiveRun) => Promise<void>, object][] = [
      ['killed', (run) => run.disturb('work', 'kill'), { code: 'container_lost', blame: 'infra' }],
      ['removed', (run) => run.disturb('work', 'remove'), { code: 'container_lost', blame: 'infra' }],
      [
        'ended',
        (run) => run.killInside('work', 'entrypoint'),
        { code: 'service_lost', blame: 'agent', retryable: false },
      ],
      [
        'machine',
        (run) => editOwner(run, ({ started }) => ({ ...started, boot_id: 'another' })),
        { code: 'container_lost', blame: 'infra' },
      ],
    ];
    for (const [name, disturb, expected] of lose) {
      await using run = await LiveRun.start(workspace, 'sleeper');
      await run.step('work', 'agent');
      await run.killCommand();
      await disturb(run);
      await recover(run);
      const { outcome, patch_result } = await run.summary();
      expect({ name, status: patch_result.status, fault: outcome.fault }).toMatchObject({
        name,
        status: 'error',
        fault: expected,
      });
      expect(await run.containers()).toEqual([]);
    }
  },
);

test('where the engine mounts nothing of this machine, a killed command and the one that followed it lose nothing', async () => {
  const env = { SSEBENCH_HOST_MOUNTS: 'off' };
  await using run = await LiveRun.start(workspace, 'brief', { env });
  await run.container('work');
  await run.killCommand();
  const first = startSsebench(['runs', 'recover', run.runId], { cwd: workspace.path, env: workspace.environment });
  await run.taken();
  first.child.kill('SIGKILL');
  await first.ended;
  expect((await recoverWell(run)).stdout).toContain('Grade: passed');
  expect(readFileSync(join(run.directory, 'agent.log'), 'utf8')).toBe('said\n');
  expect(readFileSync(join(run.directory, 'final.patch'), 'utf8')).toContain('+fixed');
  expect(await run.containers()).toEqual([]);
  nothingLives();
});

test.runIf(everything)('a patch that was only to be graded is graded', async () => {
  await using run = await LiveRun.grade(
    workspace,
    'diff --git a/do-test b/do-test\nnew file mode 100644\n--- /dev/null\n+++ b/do-test\n@@ -0,0 +1 @@\n+sleep 3\n',
  );
  await run.reached('grade', checkStarted('function_test'));
  await run.killCommand();
  await run.disturb('grade', 'remove');
  expect((await recover(run)).stdout).toContain('Grade: passed');
  nothingLives();
});

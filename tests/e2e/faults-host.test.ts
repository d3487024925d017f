import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SmallDisk } from '@ssebench/bench/testing/small-disk';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineProxy } from './support/engine-proxy.ts';
import { checkStarted, LiveRun } from './support/live-run.ts';
import { scriptAgent, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const isRoot = process.getuid?.() === 0;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    brief: scriptAgent('echo fixed > fix.txt; sleep 5'),
    sleeper: scriptAgent('exec sleep 600'),
    lasting: scriptAgent('echo "sleep 8" > do-test'),
    failing: scriptAgent('echo "exit 1" > do-poc; echo "sleep 60" > do-test'),
    collector: scriptAgent('cd "$SSE_ARCHIVE"; i=0; while : > $i; do i=$((i+1)); done; sleep 600'),
    hoarder: scriptAgent('head -c 100000000 /dev/zero > "$SSE_ARCHIVE/all"; sleep 600'),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const byMachine = { blame: 'infra', retryable: true };

describe('the disk of the results', () => {
  const full = /^(?:results_unwritable|host_disk_low)$/;

  test.runIf(isRoot)('is full before a run begins: nothing is started, and nothing is left', async () => {
    using disk = new SmallDisk(join(workspace.path, 'results'), '16m');
    disk.fill();
    await using run = await LiveRun.start(workspace, 'brief');
    const end = await run.ended;
    expect(end.status).toBe(1);
    expect(end.stderr).toMatch(/^the run can't begin: .*ENOSPC[^\n]*\n$/m);
    disk.empty();
    expect(existsSync(run.directory)).toBe(false);
    expect(await run.containers()).toEqual([]);
  });

  test.runIf(isRoot)('fills up while the agent works: the machine is to blame', async () => {
    using disk = new SmallDisk(join(workspace.path, 'results'), '16m');
    await using run = await LiveRun.start(workspace, 'sleeper');
    await run.step('work', 'agent');
    disk.fill();
    expect((await run.ended).status).toBe(0);
    const { outcome, patch_result } = await run.summary();
    expect(outcome.fault).toMatchObject({ code: expect.stringMatching(full), ...byMachine });
    expect(patch_result.status).toBe('error');
    expect(await run.containers()).toEqual([]);
  });

  test.runIf(isRoot)('is filled by the agent: the agent is to blame', async () => {
    using _disk = new SmallDisk(join(workspace.path, 'results'), '16m');
    await using run = await LiveRun.start(workspace, 'hoarder');
    expect((await run.ended).status).toBe(0);
    const { outcome } = await run.summary();
    expect(outcome.fault).toMatchObject({ code: expect.stringMatching(full), blame: 'agent', retryable: false });
  });

  test.runIf(isRoot)('has no room for one more file while the agent works: the machine is to blame', async () => {
    using disk = new SmallDisk(join(workspace.path, 'results'), '64m', 2_000);
    await using run = await LiveRun.start(workspace, 'sleeper');
    await run.step('work', 'agent');
    disk.fillEntries();
    expect((await run.ended).status).toBe(0);
    const { outcome, patch_result } = await run.summary();
    expect(outcome.fault).toMatchObject({ code: expect.stringMatching(full), ...byMachine });
    expect(patch_result.status).toBe('error');
    expect(await run.containers()).toEqual([]);
  });

  test.runIf(isRoot)('is filled with small files by the agent: the agent is to blame', async () => {
    using _disk = new SmallDisk(join(workspace.path, 'results'), '64m', 2_000);
    await using run = await LiveRun.start(workspace, 'collector');
    expect((await run.ended).status).toBe(0);
    const { outcome } = await run.summary();
    expect(outcome.fault).toMatchObject({ code: expect.stringMatching(full), blame: 'agent', retryable: false });
    expect(await run.containers()).toEqual([]);
  });

  const whats = everything ? (['bytes', 'files'] as const) : (['bytes'] as const);
  test.runIf(isRoot).each(whats)(
    'fills up while the patch is graded (%s): no verdict, unless a check had failed',
    async (what) => {
      using disk = new SmallDisk(join(workspace.path, 'results'), '64m', 2_000);
      for (const agent of everything ? ['lasting', 'failing'] : ['failing']) {
        await using run = await LiveRun.start(workspace, agent);
        await run.reached('grade', checkStarted('function_test'));
        if (what === 'bytes') disk.fill();
        else disk.fillEntries();
        expect((await run.ended).status).toBe(0);
        disk.empty();
        const { outcome, patch_result } = await run.summary();
        if (agent === 'failing') expect(patch_result).toMatchObject({ status: 'failed', pov_passed: 0 });
        else expect(outcome.fault).toMatchObject({ code: expect.stringMatching(full), ...byMachine });
      }
    },
  );
});

describe('an image or a volume', () => {
  test.runIf(everything)('that is removed under a run: the patch is kept, and the machine is to blame', async () => {
    await using run = await LiveRun.start(workspace, 'brief');
    await run.step('work', 'agent');
    const engine = await connectEngine();
    const { course } = await run.owner();
    const runtime = course?.runtime_volume ?? '';
    await expect(engine.removeVolume(runtime)).rejects.toMatchObject({ code: 'conflict' });
    await engine.removeImage(course?.grader.image ?? '', { force: true });
    engine.close();
    await run.ended;
    const { outcome, patch_result } = await run.summary();
    expect(outcome.fault).toMatchObject({ code: 'image_missing', phase: 'grading', ...byMachine });
    expect(patch_result.status).toBe('error');
    expect(readFileSync(join(run.directory, 'final.patch'), 'utf8')).toContain('+fixed');
  });
});

describe('the clock of the day', () => {
  const day = 24 * 3600 * 1000;
  test.runIf(everything).each([-day, day])(
    'jumps by %d ms: no limit is hit, and nothing else happens',
    async (jump) => {
      const clock = fileURLToPath(new URL('./support/jumping-clock.ts', import.meta.url));
      const env = { NODE_OPTIONS: `--import=${clock}`, JUMP_MS: String(jump), JUMP_AFTER: '3000' };
      await using run = await LiveRun.start(workspace, 'brief', { env });
      expect((await run.ended).status).toBe(0);
      const { patch_result, started_at, ended_at, phases } = await run.summary();
      expect(patch_result.status).toBe('passed');
      expect(Math.sign(Date.parse(ended_at) - Date.parse(started_at))).toBe(Math.sign(jump));
      expect(phases.every(({ duration_ms }) => duration_ms < 600_000)).toBe(true);
    },
  );
});

describe('the container engine', () => {
  test('is gone for a while, as when it is restarted: the run goes on', async () => {
    await using proxy = await EngineProxy.create();
    await using run = await LiveRun.start(workspace, 'brief', { env: { DOCKER_HOST: proxy.address } });
    await run.step('work', 'agent');
    await proxy.cut();
    await pause(4_000);
    await proxy.mend();
    expect((await run.ended).status).toBe(0);
    expect((await run.summary()).patch_result.status).toBe('passed');
    expect(await run.containers()).toEqual([]);
  });

  test.runIf(everything)('is gone for a while during grading: the run goes on', async () => {
    await using proxy = await EngineProxy.create();
    await using run = await LiveRun.start(workspace, 'lasting', { env: { DOCKER_HOST: proxy.address } });
    await run.reached('grade', checkStarted('function_test'));
    await proxy.cut();
    await pause(4_000);
    await proxy.mend();
    await run.ended;
    expect((await run.summary()).patch_result.status).toBe('passed');
  });

  test.runIf(everything).each(['work', 'grade'] as const)(
    'stays away in the %s phase: the machine is to blame',
    async (role) => {
      await using proxy = await EngineProxy.create();
      const agent = role === 'work' ? 'sleeper' : 'failing';
      await using run = await LiveRun.start(workspace, agent, { env: { DOCKER_HOST: proxy.address } });
      if (role === 'work') await run.step('work', 'agent');
      else await run.reached('grade', checkStarted('function_test'));
      await proxy.cut();
      expect((await run.ended).status).toBe(0);
      const { outcome, patch_result } = await run.summary();
      if (role === 'grade') expect(patch_result).toMatchObject({ status: 'failed', pov_passed: 0 });
      else expect(outcome.fault).toMatchObject({ code: 'engine_unreachable', phase: 'agent', ...byMachine });
      await proxy.mend();
      expect((await workspace.run('gc', '--dry-run')).stdout).toContain(run.runId);
    },
  );
});

describe('the first command after all that', () => {
  test('finds no unfinished run', async () => {
    const { stderr } = await workspace.run('runs', 'recover');
    expect(stderr).toContain('every run has ended or has its command');
    expect(readdirSync(join(workspace.path, 'results/.live'))).toEqual([]);
  });
});

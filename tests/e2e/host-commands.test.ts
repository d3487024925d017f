import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKOUT, type CommandEnd, ssebench, startSsebench } from './support/command.ts';
import { containersOf } from './support/leftovers.ts';
import { NOOP_DATASET, scriptAgent, summaryIn, Workspace } from './support/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({ sleeper: scriptAgent('echo begun; exec sleep 600') });
});
const started: { child: ChildProcess; ended: Promise<CommandEnd> }[] = [];
afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGINT');
    await ended;
  }
  await workspace[Symbol.asyncDispose]();
});

/** A run whose agent sleeps; resolves when the agent has begun. */
async function sleepingRun(runId: string) {
  const agent = ['--agent', 'sleeper', '--model', 'claude-sonnet-4-6', '--run-id', runId];
  const { child, ended } = startSsebench(['run', '--local', NOOP_DATASET, '--task', 'noop-c', ...agent], {
    cwd: workspace.path,
    env: workspace.environment,
  });
  let told = '';
  const begun = new Promise<void>((resolve) => {
    child.stderr?.on('data', (text: string) => {
      told += text;
      if (/\bagent$/m.test(told)) resolve();
    });
  });
  const first = await Promise.race([begun, ended]);
  if (first) throw new Error(`the run ended before its agent began:\n${first.stderr}`);
  started.push({ child, ended });
  return { child, ended, directory: join(workspace.path, 'results/noop-c/claude-sonnet-4-6/sleeper', runId) };
}

async function json(...args: string[]) {
  const end = await workspace.run(...args, '--json');
  if (end.status !== 0) throw new Error(end.stderr);
  return JSON.parse(end.stdout);
}

test('a run that goes on is listed, shown and not collected; stopped, it ends with a result', async () => {
  const runId = `goes-on-${process.pid}`;
  const { ended, directory } = await sleepingRun(runId);
  const { backend, supports_exec, runs } = await json('runs', 'list');
  expect({ backend, supports_exec }).toEqual({ backend: 'docker', supports_exec: false });
  expect(runs.find(({ run_id }: { run_id: string }) => run_id === runId)).toMatchObject({
    state: 'running',
    exit_code: null,
    task: 'noop-c',
    model: 'claude-sonnet-4-6',
    agent: 'sleeper',
    reference_run: false,
    results_dir: directory,
    labels: { 'ssebench.run-id': runId, 'ssebench.webui': 'true' },
  });
  expect(await json('runs', 'show', runId)).toMatchObject({ run_id: runId, state: 'running', dir: directory });
  expect((await workspace.run('gc', '--dry-run')).stdout).not.toContain(runId);

  expect(await workspace.run('runs', 'stop', runId, '--grace', '1')).toEqual({ status: 0, stdout: '', stderr: '' });
  await ended;
  expect((await summaryIn(directory)).run_id).toBe(runId);
  expect(await containersOf(runId)).toEqual([]);
  expect((await workspace.run('runs', 'stop', runId)).status).toBe(3);
}, 120_000);

test('a run whose command was killed is shown as lost, goes on, and gc brings it to its end', async () => {
  const runId = `killed-${process.pid}`;
  const { child, ended, directory } = await sleepingRun(runId);
  child.kill('SIGKILL');
  await ended;
  expect(await json('runs', 'show', runId)).toMatchObject({ run_id: runId, state: 'lost' });
  expect((await workspace.run('runs', 'list')).stderr).toContain('ssebench runs recover');
  expect((await workspace.run('gc', '--dry-run')).stdout).toContain(`would finish run ${directory}\n`);
  expect((await workspace.run('gc', '--no-wait')).stdout).toContain(`kept run ${directory}: its agent works`);
  expect(await containersOf(runId)).toContain('work');

  await workspace.run('runs', 'stop', runId, '--grace', '1');
  expect((await workspace.run('gc')).stdout).toContain(`finished run ${directory}: error\n`);
  expect(await containersOf(runId)).toEqual([]);
  expect((await summaryIn(directory)).outcome.fault?.code).toMatch(/^(?:interrupted|container_lost)$/);
  expect(readdirSync(join(workspace.path, 'results/.live'))).toEqual([]);
}, 120_000);

test('a kept container has its logs until it is removed', async () => {
  const runId = `kept-${process.pid}`;
  const { end } = await workspace.runOnNoop('dummy', '--run-id', runId, '--keep-container');
  expect(end.status).toBe(0);
  const logs: CommandEnd = await workspace.run('runs', 'logs', runId);
  expect({ status: logs.status, stderr: logs.stderr }).toEqual({ status: 0, stderr: '' });
  expect(await workspace.run('runs', 'remove', runId)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(await containersOf(runId)).toEqual([]);
  const shown = await json('runs', 'show', runId);
  expect(existsSync(shown.dir)).toBe(true);
  expect(shown.checks).toHaveLength(4);
  expect(shown.checks[1]).toMatchObject({
    check: 'poc',
    outcome: 'passed',
    log_tail: expect.arrayContaining(['code=0']),
    repeat: expect.stringMatching(
      /^docker run --rm -it --network none --entrypoint sh sha256:[0-9a-f]{64} -c '.*run\.sh/,
    ),
  });
}, 120_000);

test('on a machine that runs tasks the doctor finds nothing that must be put right', async () => {
  const { status, stdout } = await ssebench(['doctor', '--json'], { cwd: CHECKOUT });
  const { checks } = JSON.parse(stdout);
  expect(checks.filter((check: { status: string }) => check.status === 'fail')).toEqual([]);
  expect(status).toBe(0);
}, 120_000);

import type { Fault } from '@ssebench/contracts/faults';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkStarted, LiveRun, type Role } from './support/live-run.ts';
import { scriptAgent, Workspace } from './support/workspace.ts';

/** `./test` runs one of each kind, `./test --all` every one. */
const everything = process.env['SSEBENCH_TEST_ALL'] === '1';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create({
    sleeper: scriptAgent('exec sleep 600'),
    large: scriptAgent('head -c 60000000 /dev/urandom > large.bin'),
    lasting: scriptAgent('echo "sleep 60" > do-test'),
    failing: scriptAgent('echo "exit 1" > do-poc; echo "sleep 60" > do-test'),
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

type Blow = 'daemon' | 'entrypoint' | 'evaluator' | 'kill' | 'remove';
type Moment = 'services' | 'agent' | 'capture' | 'grading';

const agentOf: Record<Moment, string> = { services: 'sleeper', agent: 'sleeper', capture: 'large', grading: 'lasting' };

/** SIGKILL of one of our programs from inside, or of the container from outside, when it has come so far. */
async function strike(run: LiveRun, role: Role, moment: Moment, blow: Blow): Promise<void> {
  if (moment === 'grading') await run.reached(role, checkStarted('function_test'));
  else if (moment !== 'services') await run.step(role, moment);
  if (blow === 'kill' || blow === 'remove') await run.disturb(role, blow);
  else await run.killInside(role, blow);
}

const byAgent = { blame: 'agent', retryable: false } as const;
const byMachine = { blame: 'infra', retryable: true } as const;

type Case = [Role, Moment, Blow, Partial<Fault>];

const FEW: Case[] = [
  ['work', 'agent', 'daemon', { code: 'service_lost', phase: 'agent', ...byAgent }],
  ['work', 'agent', 'entrypoint', { code: 'service_lost', phase: 'agent', ...byAgent }],
  ['work', 'agent', 'kill', { code: 'container_lost', phase: 'agent', ...byMachine }],
  ['grade', 'grading', 'daemon', { code: 'service_lost', phase: 'grading', ...byAgent }],
  ['grade', 'grading', 'kill', { code: 'container_lost', phase: 'grading', ...byMachine }],
];

const MORE: Case[] = [
  ['work', 'services', 'daemon', { code: 'start_failed', phase: 'start', ...byAgent }],
  ['work', 'services', 'entrypoint', { code: 'service_lost', phase: 'start', ...byAgent }],
  ['work', 'services', 'kill', { code: 'container_lost', phase: 'start', ...byMachine }],
  ['work', 'agent', 'remove', { code: 'container_lost', phase: 'agent', ...byMachine }],
  ['work', 'capture', 'daemon', { code: 'service_lost', phase: 'capture', ...byAgent }],
  ['work', 'capture', 'entrypoint', { code: 'service_lost', phase: 'capture', ...byAgent }],
  ['work', 'capture', 'kill', { code: 'container_lost', phase: 'capture', ...byMachine }],
  ['grade', 'services', 'daemon', { code: 'start_failed', phase: 'start', ...byMachine }],
  ['grade', 'grading', 'evaluator', { code: 'service_lost', phase: 'grading', ...byAgent }],
  ['grade', 'grading', 'entrypoint', { code: 'service_lost', phase: 'grading', ...byAgent }],
  ['grade', 'grading', 'remove', { code: 'container_lost', phase: 'grading', ...byMachine }],
  ['same', 'agent', 'daemon', { code: 'service_lost', phase: 'agent', ...byAgent }],
  ['same', 'capture', 'entrypoint', { code: 'service_lost', phase: 'capture', ...byAgent }],
  ['same', 'grading', 'daemon', { code: 'service_lost', phase: 'grading', ...byAgent }],
  ['same', 'grading', 'evaluator', { code: 'service_lost', phase: 'grading', ...byAgent }],
  ['same', 'grading', 'entrypoint', { code: 'service_lost', phase: 'grading', ...byAgent }],
  ['same', 'grading', 'kill', { code: 'container_lost', phase: 'grading', ...byMachine }],
];

describe('what is killed or removed ends the run as an error with its true code and blame', () => {
  test.each(everything ? [...FEW, ...MORE] : FEW)('%s container, %s: %s', async (role, moment, blow, fault) => {
    const options = role === 'same' ? ['--grading', 'same'] : [];
    await using run = await LiveRun.start(workspace, role === 'grade' ? 'lasting' : agentOf[moment], { options });
    await strike(run, role, moment, blow);
    const { status, stdout } = await run.ended;
    const { patch_result, outcome, checks } = await run.summary();
    expect({ patch_result, outcome }).toMatchObject({
      patch_result: { status: 'error', build_success: null },
      outcome: { code: fault.code, fault },
    });
    expect(stdout).toContain('Grade: error (');
    expect(status).toBe(0);
    expect(checks.every((check) => check.outcome === 'passed')).toBe(true);
    expect(await run.containers()).toEqual([]);
  });
});

describe('a check that had failed makes the run failed, whatever ends the grading', () => {
  const few: [Role, Blow][] = [
    ['grade', 'daemon'],
    ['grade', 'kill'],
  ];
  const more: [Role, Blow][] = [
    ['grade', 'evaluator'],
    ['grade', 'entrypoint'],
    ['grade', 'remove'],
    ['same', 'daemon'],
    ['same', 'evaluator'],
    ['same', 'entrypoint'],
    ['same', 'kill'],
  ];
  test.each(everything ? [...few, ...more] : few)('%s container: %s', async (role, blow) => {
    const options = role === 'same' ? ['--grading', 'same'] : [];
    await using run = await LiveRun.start(workspace, 'failing', { options });
    await strike(run, role, 'grading', blow);
    expect((await run.ended).stdout).toContain('Grade: failed');
    const { patch_result, outcome } = await run.summary();
    expect(outcome).toMatchObject({ code: 'graded', fault: null });
    expect(patch_result).toMatchObject({
      status: 'failed',
      build_success: true,
      pov_passed: 0,
      func_test_success: null,
      error_msg: expect.stringContaining('PoC failed'),
    });
    expect(await run.containers()).toEqual([]);
  });
});

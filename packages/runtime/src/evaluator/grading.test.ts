import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GradedCheck } from '@ssebench/contracts/grade';
import { type Answer, type Script, ScriptedDaemon } from '@ssebench/sdk/testing/scripted-daemon';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdminClient } from '../client/admin-client.ts';
import { grade } from './grading.ts';
import type { Graded } from './outcome.ts';

const BUILD = 'POST /tool/bencher?action=build';
const POC = 'POST /tool/bencher?action=run_poc';
const FUNCTION = 'POST /tool/bencher?action=function_test';
const INTENT = 'POST /tool/bencher?action=intent_test';
const PREPARE = 'POST /prepare_grading';

let directory: string;
let daemon: ScriptedDaemon;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'grading-'));
});

afterEach(async () => {
  await daemon.close();
  await rm(directory, { recursive: true });
});

function script(code: number, more: Record<string, unknown> = {}): Answer {
  return { body: { code, stdout: 'out', stderr: 'err', duration_ms: 5, log: 'scriptrunner-1.log', ...more } };
}

const TIMED_OUT = script(-1, { outcome: 'timed_out' });

/** A task with every check, two PoCs, all of which pass, but for what `changes` says. */
function task(changes: Script = {}): Script {
  return {
    'GET /capabilities': {
      body: { can_build: true, can_run_poc: true, poc_count: 2, has_function_test: true, has_intent_test: true },
    },
    'GET /project': {
      body: {
        id: 'x',
        project: 'x',
        language: 'c',
        source: '/src',
        task_description: { issue: null, crash_report: null, bug_description: 'x' },
        poc: ['/ssebench/pocs/a', '/ssebench/pocs/b'],
        build_script: null,
        test_script: null,
      },
    },
    [PREPARE]: { body: { success: true } },
    [BUILD]: script(0, { build: 'b1' }),
    [POC]: script(0),
    [FUNCTION]: script(0),
    [INTENT]: script(0),
    ...changes,
  };
}

async function graded(
  changes: Script,
  gradingTimeout = 60,
  onCheck?: (checks: readonly GradedCheck[]) => void,
): Promise<Graded> {
  daemon = await new ScriptedDaemon(join(directory, 's'), task(changes)).listen();
  const client = new AdminClient(join(directory, 's'));
  try {
    return await grade(client, { checkTimeout: 10, gradingTimeout, onCheck: async (checks) => onCheck?.(checks) });
  } finally {
    client.close();
  }
}

test('every check that the task has runs once, in order, on the graded copy, PoCs in the build that was made', async () => {
  const { grade: result, fault } = await graded({});
  expect(result).toEqual({
    status: 'passed',
    build_success: true,
    pov_passed: 2,
    pov_total: 2,
    func_test_success: true,
    intent_test_success: true,
    error_msg: null,
    error_log: null,
  });
  expect(fault).toBeNull();
  expect(daemon.calls.slice(1).filter(({ route }) => route !== 'GET /project')).toEqual([
    { route: PREPARE, body: {} },
    { route: BUILD, body: { grading: true } },
    { route: POC, body: { grading: true, poc: '/ssebench/pocs/a', build: 'b1' } },
    { route: POC, body: { grading: true, poc: '/ssebench/pocs/b', build: 'b1' } },
    { route: FUNCTION, body: { grading: true } },
    { route: INTENT, body: { grading: true } },
  ]);
});

test('a failed build ends grading', async () => {
  const { grade: result } = await graded({ [BUILD]: script(2) });
  expect(result).toMatchObject({
    status: 'failed',
    build_success: false,
    pov_total: null,
    func_test_success: null,
    error_msg: 'Build failed',
    error_log: 'out\nerr',
  });
  expect(daemon.routes).not.toContain(POC);
});

test('a PoC that still triggers fails the grade, and the other checks run', async () => {
  const { grade: result, checks } = await graded({ [POC]: [script(1), script(0)] });
  expect(result).toMatchObject({
    status: 'failed',
    pov_passed: 1,
    pov_total: 2,
    func_test_success: true,
    intent_test_success: true,
    error_msg: 'PoC failed: /ssebench/pocs/a',
  });
  expect(checks).toHaveLength(5);
});

test('a script that a signal ended has failed without an exit status', async () => {
  const { checks } = await graded({ [FUNCTION]: script(-1, { outcome: 'signalled' }) });
  expect(checks[3]?.record).toMatchObject({ check: 'function_test', outcome: 'failed', exit_code: null });
});

test('a check that hit its limit runs once more, and the second run counts', async () => {
  const { grade: result, checks } = await graded({ [FUNCTION]: [TIMED_OUT, script(0)], [INTENT]: TIMED_OUT });
  expect(result).toMatchObject({
    status: 'failed',
    func_test_success: true,
    intent_test_success: false,
    error_msg: 'Intent test failed',
  });
  expect(checks[3]?.record).toMatchObject({ outcome: 'passed', confirmed: true });
  expect(checks[4]?.record).toMatchObject({ outcome: 'check_timeout', confirmed: true, exit_code: null });
  expect(daemon.routes.filter((route) => route === INTENT)).toHaveLength(2);
});

test('PoCs run in the confirmed build', async () => {
  await graded({ [BUILD]: [TIMED_OUT, script(0, { build: 'b2' })] });
  expect(daemon.calls.filter(({ route }) => route === POC)[0]?.body).toMatchObject({ build: 'b2' });
});

test('hidden tests that do not apply are a failed intent test', async () => {
  const { grade: result, checks } = await graded({
    [INTENT]: { code: 'hidden_tests_do_not_apply', error: 'patch does not apply: t.c' },
  });
  expect(result).toMatchObject({
    status: 'failed',
    intent_test_success: false,
    error_msg: 'Intent test failed',
    error_log: 'patch does not apply: t.c',
  });
  expect(checks.at(-1)?.record).toMatchObject({ reason: 'hidden_tests_do_not_apply', exit_code: null });
});

test('a patch that does not apply fails every check that the task has', async () => {
  const { grade: result, fault } = await graded({
    'GET /capabilities': {
      body: { can_build: true, can_run_poc: true, poc_count: 2, has_function_test: true, has_intent_test: false },
    },
    [PREPARE]: { code: 'patch_apply_failed', error: 'git apply failed: src/a.c' },
  });
  expect(result).toMatchObject({
    status: 'failed',
    build_success: false,
    func_test_success: false,
    intent_test_success: null,
    error_msg: 'Patch apply failed',
    error_log: 'git apply failed: src/a.c',
  });
  expect(fault).toBeNull();
});

test('an error that only looks like a patch that does not apply is no verdict', async () => {
  const { grade: result, fault } = await graded({ [PREPARE]: { code: 'internal', error: 'git apply failed' } });
  expect(result).toMatchObject({ status: 'error', error_msg: 'Exception: git apply failed' });
  expect(fault).toMatchObject({ code: 'grading_failed', blame: 'infra' });
});

test.for([
  ['runner_unavailable', 'runner_unavailable', 'infra'],
  ['script_not_executable', 'script_not_executable', 'task'],
  ['processes_survived', 'processes_survived', 'agent'],
  ['unknown_build', 'grading_failed', 'infra'],
] as const)('the daemon error %s is the fault %s, blamed on %s', async ([code, faultCode, blame]) => {
  const { grade: result, fault } = await graded({ [BUILD]: { code, error: 'why' } });
  expect(result).toMatchObject({ status: 'error', build_success: null, error_msg: 'Exception: why' });
  expect(fault).toMatchObject({ code: faultCode, phase: 'grading', blame, detail: 'why' });
});

test('a daemon that is lost counts against what ran in the container', async () => {
  const { grade: result, fault } = await graded({ [FUNCTION]: 'break' });
  expect(result.status).toBe('error');
  expect(fault).toMatchObject({ code: 'service_lost', phase: 'grading', blame: 'agent' });
});

test('a check that failed stays a failed grade when the daemon fails afterwards', async () => {
  const { grade: result, fault } = await graded({ [POC]: [script(1), 'break'] });
  expect(result).toMatchObject({
    status: 'failed',
    pov_passed: 0,
    pov_total: 2,
    func_test_success: null,
    error_msg: 'PoC failed: /ssebench/pocs/a',
  });
  expect(fault).toBeNull();
});

test('the limit of grading as a whole is an error when no check had failed', async () => {
  const result = await graded({ [POC]: 'silence' }, 1);
  expect(result).toMatchObject({
    timedOut: true,
    grade: { status: 'error', error_msg: 'Timeout (1s)' },
    fault: { code: 'grading_timeout' },
  });
  expect(result.checks).toHaveLength(1);
});

test('the limit of grading as a whole leaves a failed grade failed', async () => {
  const result = await graded({ [POC]: [script(1), 'silence'] }, 1);
  expect(result).toMatchObject({
    timedOut: true,
    grade: { status: 'failed', pov_passed: 0, pov_total: 2 },
    fault: null,
  });
});

test('a task without a check is not graded', async () => {
  const { grade: result, fault } = await graded({
    'GET /capabilities': {
      body: { can_build: false, can_run_poc: false, poc_count: 0, has_function_test: false, has_intent_test: false },
    },
  });
  expect(result).toMatchObject({ status: 'error', error_msg: 'No check ran' });
  expect(fault).toMatchObject({ code: 'no_check_ran', blame: 'task' });
});

test('every check is handed on as soon as it has ended', async () => {
  const counts: number[] = [];
  await graded({}, 60, (checks) => counts.push(checks.length));
  expect(counts).toEqual([1, 2, 3, 4, 5]);
});

test('a record that can not be written ends grading as our own fault', async () => {
  const { grade: result, fault } = await graded({}, 60, () => {
    throw new Error('no space left');
  });
  expect(result.status).toBe('error');
  expect(fault).toMatchObject({ code: 'grading_failed', detail: 'no space left' });
});

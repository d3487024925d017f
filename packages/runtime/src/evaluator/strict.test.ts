import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Integrity } from '@ssebench/contracts/integrity';
import type { EvaluatorResult } from '@ssebench/contracts/result';
import { type Answer, type Script, ScriptedDaemon } from '@ssebench/sdk/testing/scripted-daemon';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runEvaluator } from './main.ts';

let directory: string;
let daemon: ScriptedDaemon;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'strict-'));
});

afterEach(async () => {
  await daemon.close();
  await rm(directory, { recursive: true });
});

const PASSED: Answer = { body: { code: 0, stdout: 'out', stderr: '', log: 'scriptrunner-1.log', build: 'b1' } };
const FAILED: Answer = { body: { code: 1, stdout: 'out', stderr: 'err', log: 'scriptrunner-2.log' } };
const TIMED_OUT: Answer = { body: { code: -1, stdout: '', stderr: '', outcome: 'timed_out' } };

/** Answers of one check: as the patch left the tree, and on the strict tree. A list is used up one call after the other. */
function check(
  graded: Answer,
  strict: Answer | Answer[] = { code: 'not_found', error: 'no strict check was expected' },
) {
  const answers = Array.isArray(strict) ? [...strict] : [strict];
  return (body: unknown): Answer => {
    if (!(body as { strict?: boolean }).strict) return graded;
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? graded;
  };
}

const touched = (tests: string[], more = {}) => ({
  body: { success: true, touched_tests: tests, touched_tests_total: tests.length, put_back: tests.length, ...more },
});

/** A task with a build and both tests, all of which pass as the patch left it, but for what `changes` says. */
async function evaluated(changes: Record<string, Answer | ReturnType<typeof check>>, gradingTimeout = 60) {
  const script: Script = {
    'GET /capabilities': {
      body: { can_build: true, can_run_poc: false, poc_count: 0, has_function_test: true, has_intent_test: true },
    },
    'POST /prepare_grading': touched(['Makefile']),
    'POST /tool/bencher?action=build': check(PASSED, PASSED),
    'POST /tool/bencher?action=function_test': check(PASSED, PASSED),
    'POST /tool/bencher?action=intent_test': check(PASSED, PASSED),
    ...changes,
  };
  const socket = join(directory, 's');
  daemon = await new ScriptedDaemon(socket, script).listen();
  const status = await runEvaluator({
    SSE_RESULTS: directory,
    SSE_ADMIN_SOCKET: socket,
    SSE_CHECK_TIMEOUT: '5',
    SSE_GRADING_TIMEOUT: String(gradingTimeout),
  });
  const json = async <T>(name: string): Promise<T> => JSON.parse(await readFile(join(directory, name), 'utf8'));
  const strictRuns = daemon.calls
    .filter(({ body }) => (body as { strict?: boolean } | undefined)?.strict)
    .map(({ route }) => route.split('=')[1]);
  const result = await json<EvaluatorResult>('result.json');
  return { status, strictRuns, patchResult: result.patch_result, integrity: await json<Integrity>('integrity.json') };
}

test('a patch that touches no tests is checked once', async () => {
  const { strictRuns, integrity } = await evaluated({ 'POST /prepare_grading': touched([]) });
  expect(strictRuns).toEqual([]);
  expect(integrity).toEqual({
    touched_tests: [],
    touched_tests_total: 0,
    strict: { status: 'not_needed', function_test: null, intent_test: null, detail: null, checks: [] },
  });
});

test('one that does is checked again on the strict tree, its build first', async () => {
  const { status, strictRuns, integrity, patchResult } = await evaluated({});
  expect(strictRuns).toEqual(['build', 'function_test', 'intent_test']);
  expect(integrity).toMatchObject({
    touched_tests: ['Makefile'],
    strict: { status: 'passed', function_test: true, intent_test: true, detail: null },
  });
  expect(integrity.strict.checks.map(({ check: name, outcome }) => [name, outcome])).toEqual([
    ['build', 'passed'],
    ['function_test', 'passed'],
    ['intent_test', 'passed'],
  ]);
  expect([status, patchResult.status]).toEqual([0, 'passed']);
  expect(daemon.calls.at(-1)?.body).toMatchObject({ type: 'strict_ended', status: 'passed' });
});

test('a test that fails there fails the strict outcome, and the grade stays what it was', async () => {
  const { integrity, patchResult } = await evaluated({
    'POST /tool/bencher?action=function_test': check(PASSED, FAILED),
  });
  expect(integrity.strict).toMatchObject({ status: 'failed', function_test: false, intent_test: true });
  expect(patchResult).toMatchObject({ status: 'passed', func_test_success: true });
});

test('hidden tests that do not apply there fail it', async () => {
  const { integrity } = await evaluated({
    'POST /tool/bencher?action=intent_test': check(PASSED, { code: 'hidden_tests_do_not_apply', error: 'why' }),
  });
  expect(integrity.strict).toMatchObject({ status: 'failed', function_test: true, intent_test: false });
});

test('a strict tree that does not build is unclear, and no test runs in it', async () => {
  const { strictRuns, integrity, patchResult } = await evaluated({
    'POST /tool/bencher?action=build': check(PASSED, FAILED),
  });
  expect(strictRuns).toEqual(['build']);
  expect(integrity.strict).toMatchObject({
    status: 'unclear',
    function_test: null,
    intent_test: null,
    detail: 'the strict tree does not build',
  });
  expect(patchResult.status).toBe('passed');
});

test('a strict check that hits its limit runs once more', async () => {
  const { strictRuns, integrity } = await evaluated({
    'POST /tool/bencher?action=function_test': check(PASSED, [TIMED_OUT, PASSED]),
  });
  expect(strictRuns).toEqual(['build', 'function_test', 'function_test', 'intent_test']);
  expect(integrity.strict).toMatchObject({ status: 'passed' });
  expect(integrity.strict.checks[1]).toMatchObject({ confirmed: true });
});

test.for([
  ['runner_unavailable', { code: 'runner_unavailable', error: 'why' }, 'runner_unavailable: why'],
  ['a daemon that is lost', 'break', 'service_lost: '],
] as const)('%s makes it unclear and leaves the grade', async ([, answer, detail]) => {
  const { status, integrity, patchResult } = await evaluated({
    'POST /tool/bencher?action=intent_test': check(PASSED, answer),
  });
  expect(integrity.strict).toMatchObject({ status: 'unclear', function_test: true, intent_test: null });
  expect(integrity.strict.detail).toContain(detail);
  expect([status, patchResult.status]).toEqual([0, 'passed']);
});

test('a fault after a test that failed leaves it failed', async () => {
  const { integrity } = await evaluated({
    'POST /tool/bencher?action=function_test': check(PASSED, FAILED),
    'POST /tool/bencher?action=intent_test': check(PASSED, 'break'),
  });
  expect(integrity.strict).toMatchObject({ status: 'failed', function_test: false, intent_test: null });
});

test('the limit of grading as a whole makes it unclear and leaves the grade', async () => {
  const { integrity, patchResult } = await evaluated(
    { 'POST /tool/bencher?action=intent_test': check(PASSED, 'silence') },
    1,
  );
  expect(integrity.strict).toMatchObject({ status: 'unclear', detail: expect.stringContaining('grading_timeout') });
  expect(patchResult.status).toBe('passed');
});

test.for([
  ['does not build as the patch left it', { 'POST /tool/bencher?action=build': check(FAILED) }, 'not_needed'],
  [
    'touches only what the reference patch touches',
    { 'POST /prepare_grading': touched(['Makefile'], { put_back: 0 }) },
    'not_needed',
  ],
  [
    'is of a task without tests',
    {
      'GET /capabilities': {
        body: { can_build: true, can_run_poc: false, poc_count: 0, has_function_test: false, has_intent_test: false },
      },
    },
    'not_needed',
  ],
  ['is not known to touch none', { 'POST /prepare_grading': touched([], { unknown: 'no room' }) }, 'unclear'],
  ['does not apply', { 'POST /prepare_grading': { code: 'patch_apply_failed', error: 'git' } }, 'not_needed'],
  [
    'failed before its grading broke',
    {
      'POST /tool/bencher?action=function_test': check(FAILED),
      'POST /tool/bencher?action=intent_test': check('break'),
    },
    'unclear',
  ],
] as const)('no strict check runs for a patch that %s', async ([, changes, status]) => {
  const { strictRuns, integrity } = await evaluated(changes);
  expect(strictRuns).toEqual([]);
  expect(integrity.strict.status).toBe(status);
});

test('a patch that failed as it stands is checked on the strict tree all the same', async () => {
  const { strictRuns, integrity, patchResult } = await evaluated({
    'POST /tool/bencher?action=function_test': check(FAILED, PASSED),
  });
  expect(strictRuns).toEqual(['build', 'function_test', 'intent_test']);
  expect([patchResult.status, integrity.strict.status]).toEqual(['failed', 'passed']);
});

import type { CheckRecord } from '@ssebench/contracts/checks';
import type { PatchResult } from '@ssebench/contracts/result';
import { TaskConfig } from '@ssebench/contracts/task-config';
import { expect, test } from 'vitest';
import type { Control } from './controls.ts';
import { weigh } from './weigh.ts';

const config = TaskConfig.parse({
  id: 'leak-1',
  project: 'leak',
  repository: 'https://example.org/leak',
  language: 'c',
  source: '/src',
  task_description: { issue: 'it leaks' },
  scripts: { build: 'scripts/build.sh', run: 'scripts/run.sh', test: 'scripts/test.sh' },
  files: { patch: 'diffs/patch.diff', future_test: 'diffs/test.diff', poc: ['pocs/one', 'pocs/two'] },
});
const SOLVED: PatchResult = {
  status: 'passed',
  build_success: true,
  pov_passed: 2,
  pov_total: 2,
  func_test_success: true,
  intent_test_success: true,
  error_msg: null,
  error_log: null,
};
const UNCHANGED: PatchResult = {
  ...SOLVED,
  status: 'failed',
  pov_passed: 0,
  intent_test_success: false,
  error_msg: 'PoC failed: /ssebench/pocs/one',
};

function control(kind: Control['kind'], name: string = kind): Control {
  return { name, kind, patch: kind === 'reference' || kind === 'dummy' ? null : `/x/${name}.diff` };
}

function poc(name: string, record: Partial<CheckRecord> = {}): CheckRecord {
  return {
    check: 'poc',
    poc: `/ssebench/pocs/${name}`,
    outcome: 'failed',
    exit_code: 1,
    duration_ms: 1,
    log: `${name}.log`,
    confirmed: false,
    reason: null,
    ...record,
  };
}

interface Given {
  result: PatchResult | null;
  strict?: 'passed' | 'failed' | 'unclear' | 'not_needed' | null;
  checks?: CheckRecord[];
  pocs?: Record<string, string>;
  output?: string;
}

function weighed(of: Control, { result, strict = 'not_needed', checks = [poc('one')], pocs = {}, output }: Given) {
  return weigh(of, { result, strict, checks }, { config, expect: { pocs, tests: null }, output: () => output });
}

test('the fix must pass all that the task has, on the strict tree, too', () => {
  expect(weighed(control('reference'), { result: SOLVED })).toEqual({
    cells: { build: 'ok', poc: 'ok', function_test: 'ok', intent_test: 'ok' },
    failures: [],
  });
  expect(weighed(control('reference'), { result: { ...SOLVED, status: 'failed', pov_passed: 1 } }).failures).toEqual([
    'reference: a PoC failed',
  ]);
  expect(weighed(control('reference'), { result: SOLVED, strict: 'unclear' }).failures).toEqual([
    'reference: the strict tree is unclear',
  ]);
});

test('after a failed build the other checks are skipped, not failed', () => {
  const result = { ...SOLVED, status: 'failed', build_success: false, pov_total: null, pov_passed: null } as const;
  const { cells, failures } = weighed(control('reference'), {
    result: { ...result, func_test_success: null, intent_test_success: null },
  });
  expect(cells).toEqual({ build: 'FAIL', poc: 'skip', function_test: 'skip', intent_test: 'skip' });
  expect(failures).toEqual(['reference: the build failed']);
});

test('nothing must fail the PoCs and the hidden tests, and pass the rest', () => {
  expect(weighed(control('dummy'), { result: UNCHANGED }).failures).toEqual([]);
  expect(weighed(control('dummy'), { result: { ...UNCHANGED, pov_passed: 1 } }).failures).toEqual([
    'dummy: 1 of 2 PoCs do not show the bug on the vulnerable source',
  ]);
  expect(weighed(control('dummy'), { result: { ...UNCHANGED, intent_test_success: true } }).failures).toEqual([
    'dummy: the hidden tests pass without the fix',
  ]);
  expect(weighed(control('dummy'), { result: { ...UNCHANGED, func_test_success: false } }).failures).toEqual([
    'dummy: the functional tests failed on the vulnerable source',
  ]);
});

test('a PoC that fails for another reason than the bug is told apart', () => {
  const dummy = (given: Omit<Given, 'result'>) => weighed(control('dummy'), { result: UNCHANGED, ...given }).failures;
  const pocs = { 'pocs/one': '^ERROR: heap-buffer-overflow' };
  expect(dummy({ pocs, output: 'some\nERROR: heap-buffer-overflow on address' })).toEqual([]);
  expect(dummy({ pocs, output: 'one: no such file' })).toEqual([
    'dummy: pocs/one failed for another reason than the bug: its output has no "^ERROR: heap-buffer-overflow"',
  ]);
  expect(dummy({ checks: [poc('two', { outcome: 'check_timeout', exit_code: null })] })).toEqual([
    'dummy: pocs/two ran out of time: a PoC ends a hang by itself',
  ]);
  expect(dummy({ checks: [poc('two', { exit_code: 127 })] })).toEqual([
    'dummy: pocs/two failed for another reason than the bug: status 127, a program that is not there',
  ]);
});

test('the patches of the author must end as their kind says', () => {
  const failures = (kind: Control['kind'], given: Given) => weighed(control(kind), given).failures;
  expect(failures('revert', { result: { ...SOLVED, status: 'failed', func_test_success: false } })).toEqual([]);
  expect(failures('revert', { result: SOLVED })).toEqual([
    'revert must fail functional or hidden tests: both passed, so the tests do not see that the feature is gone',
  ]);
  expect(failures('mask', { result: UNCHANGED })).toEqual([]);
  expect(failures('mask', { result: SOLVED })).toEqual([
    'mask must fail a check: it passed, so a hidden crash counts as a fix',
  ]);
  expect(failures('mask', { result: SOLVED, strict: 'failed' })).toEqual([]);
  expect(failures('alternative', { result: SOLVED })).toEqual([]);
  expect(failures('alternative', { result: UNCHANGED })).toEqual([
    'alternative must pass: PoC failed: /ssebench/pocs/one',
  ]);
});

test('a control that does not apply or build shows nothing', () => {
  const unbuilt = { ...SOLVED, status: 'failed', build_success: false, error_msg: 'Build failed' } as const;
  expect(weighed(control('mask'), { result: unbuilt }).failures).toEqual(['mask does not build: it shows nothing']);
  expect(weighed(control('revert'), { result: { ...unbuilt, error_msg: 'Patch apply failed' } }).failures).toEqual([
    "revert does not apply to the task's source",
  ]);
});

test('a run that was not graded proves nothing', () => {
  const error = { ...SOLVED, status: 'error', error_msg: 'the engine is gone' } as const;
  expect(weighed(control('dummy'), { result: error })).toEqual({
    cells: { build: 'error', poc: 'error', function_test: 'error', intent_test: 'error' },
    failures: ['dummy was not graded: the engine is gone'],
  });
  expect(weighed(control('dummy'), { result: null }).failures).toEqual([
    'dummy was not graded: it left no result; its log says why',
  ]);
});

import { expect, test } from 'vitest';
import type { CheckRecord } from './checks.ts';
import { gradeOf, patchDoesNotApply } from './grade.ts';

function check(change: Partial<CheckRecord>, output = ''): { record: CheckRecord; output: string } {
  return {
    record: {
      check: 'build',
      poc: null,
      outcome: 'passed',
      exit_code: 0,
      duration_ms: 1,
      log: null,
      confirmed: false,
      reason: null,
      ...change,
    },
    output,
  };
}

test('no check is no grade', () => {
  expect(gradeOf([])).toMatchObject({ status: 'error', error_msg: 'No check ran', build_success: null });
});

test('checks that did not run are null and do not keep a patch from passing', () => {
  expect(gradeOf([check({})])).toEqual({
    status: 'passed',
    build_success: true,
    pov_passed: null,
    pov_total: null,
    func_test_success: null,
    intent_test_success: null,
    error_msg: null,
    error_log: null,
  });
});

test('the first failure is described and the later checks keep their own outcome', () => {
  const grade = gradeOf([
    check({}),
    check({ check: 'poc', poc: '/ssebench/pocs/a' }),
    check({ check: 'poc', poc: '/ssebench/pocs/b', outcome: 'failed', exit_code: 1 }, 'panic'),
    check({ check: 'function_test' }),
    check({ check: 'intent_test', outcome: 'check_timeout', exit_code: null }, 'slow'),
  ]);
  expect(grade).toEqual({
    status: 'failed',
    build_success: true,
    pov_passed: 1,
    pov_total: 2,
    func_test_success: true,
    intent_test_success: false,
    error_msg: 'PoC failed: /ssebench/pocs/b',
    error_log: 'panic',
  });
});

test('a patch that does not apply fails only the checks that the task has', () => {
  expect(patchDoesNotApply(['build', 'function_test'], 'error: patch failed')).toMatchObject({
    status: 'failed',
    build_success: false,
    func_test_success: false,
    intent_test_success: null,
    error_msg: 'Patch apply failed',
  });
});

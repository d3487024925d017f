import { notGraded, type PatchResult } from '@ssebench/contracts/result';
import { expect, test } from 'vitest';
import { closingLines } from './closing-lines.ts';

const ALL = ['build', 'poc', 'function_test', 'intent_test'] as const;
const passed: PatchResult = {
  status: 'passed',
  build_success: true,
  pov_passed: 1,
  pov_total: 1,
  func_test_success: true,
  intent_test_success: true,
  error_msg: null,
  error_log: null,
};

test('a passed run', () => {
  expect(closingLines({ patchResult: passed, checks: ALL, directory: '/r' })).toEqual([
    'Result: build passed, PoC 1/1 passed, functional tests passed, intent tests passed',
    'Grade: passed',
    'Run directory: /r',
  ]);
});

test('failed checks, checks that were not reached and checks that the task lacks are told apart', () => {
  const failed: PatchResult = {
    ...passed,
    status: 'failed',
    build_success: false,
    pov_passed: null,
    pov_total: null,
    intent_test_success: null,
  };
  expect(closingLines({ patchResult: failed, checks: ['build', 'poc', 'intent_test'], directory: '/r' })[0]).toBe(
    'Result: build failed, PoC not run, intent tests not run',
  );
});

test('an error has its message, on one line', () => {
  const lines = closingLines({ patchResult: notGraded('Exception: a\n  b\n'), checks: ['build'], directory: '/r' });
  expect(lines.slice(0, 2)).toEqual(['Result: build not run', 'Grade: error (Exception: a b)']);
});

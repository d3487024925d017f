import type { StrictStatus } from '@ssebench/contracts/integrity';
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
  expect(closingLines({ patchResult: passed, integrity: null, checks: ALL, directory: '/r' })).toEqual([
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
  expect(
    closingLines({ patchResult: failed, integrity: null, checks: ['build', 'poc', 'intent_test'], directory: '/r' })[0],
  ).toBe('Result: build failed, PoC not run, intent tests not run');
});

test('an error has its message, on one line', () => {
  const lines = closingLines({
    patchResult: notGraded('Exception: a\n  b:\nc\n'),
    integrity: null,
    checks: ['build'],
    directory: '/r',
  });
  expect(lines.slice(0, 2)).toEqual(['Result: build not run', 'Grade: error (Exception: a; b: c)']);
});

test('where the strict tree was needed, its outcome stands beside the checks with what was touched, on one line', () => {
  const strict = (status: StrictStatus, touched_tests: string[], touched_tests_total = touched_tests.length) => {
    const outcome = { status, function_test: null, intent_test: null, detail: null, checks: [] };
    const integrity = { touched_tests, touched_tests_total, strict: outcome };
    return closingLines({ patchResult: passed, integrity, checks: ['build'], directory: '/r' })[0];
  };
  expect(strict('not_needed', [])).toBe('Result: build passed');
  expect(strict('not_needed', ['Makefile'])).toBe('Result: build passed');
  expect(strict('failed', ['Makefile'])).toBe('Result: build passed, strict: failed (touched tests: Makefile)');
  expect(strict('passed', ['a', 'b', 'c', 'd'], 2000)).toBe(
    'Result: build passed, strict: passed (touched tests: a, b, c, 1997 more)',
  );
  expect(strict('unclear', ['tests/x\n\x1b[2J.c'])).toBe(
    'Result: build passed, strict: unclear (touched tests: tests/x ?[2J.c)',
  );
  expect(strict('unclear', [])).toBe('Result: build passed, strict: unclear (touched tests: not known)');
});

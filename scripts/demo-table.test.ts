import type { PatchResult } from '@ssebench/contracts/result';
import { expect, test } from 'vitest';
import { type DemoRun, demoReport } from './demo-table.ts';

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
const failed: PatchResult = {
  ...passed,
  status: 'failed',
  pov_passed: 0,
  intent_test_success: false,
  error_msg: 'PoC failed: /ssebench/pocs/long.ini',
};
const reference: DemoRun = { agent: 'reference', directory: '/results/a', grade: passed, expected: 'passed' };
const dummy: DemoRun = { agent: 'dummy', directory: '/results/b', grade: failed, expected: 'failed' };

test('the two grades stand side by side with their run directories', () => {
  const { text, asExpected } = demoReport([reference, dummy]);
  expect(asExpected).toBe(true);
  const cells = text.split('\n').map((line) => line.split('│').map((cell) => cell.trim()));
  expect(cells).toContainEqual(['', 'reference', 'passed', '1/1 passed', 'passed', 'passed', 'passed', '']);
  expect(cells).toContainEqual(['', 'dummy', 'passed', '0/1 passed', 'passed', 'failed', 'failed', '']);
  expect(text).toContain('Run directory (reference): /results/a\nRun directory (dummy): /results/b\n');
});

test('a reference run that was not graded is told apart from one that failed, with the reason', () => {
  const notGraded: PatchResult = {
    ...passed,
    status: 'error',
    build_success: null,
    pov_total: null,
    error_msg: 'Timeout (30s)',
  };
  const { text, asExpected } = demoReport([{ ...reference, grade: notGraded }, dummy]);
  expect(asExpected).toBe(false);
  expect(text).toContain('the grade of reference is error (Timeout (30s)), it must be passed');
});

test('a dummy that passes makes the demo fail: the task would prove nothing', () => {
  const { text, asExpected } = demoReport([reference, { ...dummy, grade: passed }]);
  expect(asExpected).toBe(false);
  expect(text).toContain('the grade of dummy is passed, it must be failed');
});

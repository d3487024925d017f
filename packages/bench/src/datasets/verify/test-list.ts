import type { CheckRecord } from '@ssebench/contracts/checks';
import type { RecordedTests, TaskExpect } from '@ssebench/contracts/task-expect';
import { missingTests, passedTests } from '@ssebench/contracts/test-names';

/** Checks that run tests. */
export const TEST_CHECKS = ['function_test', 'intent_test'] as const;

/** The names of the tests that passed in these checks; null for a check that did not run, or whose log is not whole. */
export function testsOf(
  tests: NonNullable<TaskExpect['tests']>,
  checks: readonly CheckRecord[],
  output: (check: CheckRecord) => string | undefined,
): RecordedTests {
  const names = (name: (typeof TEST_CHECKS)[number]) => {
    const check = checks.find((record) => record.check === name);
    const text = check && output(check);
    return text === undefined ? null : testsIn(tests, text);
  };
  return { function_test: names('function_test'), intent_test: names('intent_test') };
}

/** The same for the output of one check; null when it is not whole. */
export function testsIn(tests: NonNullable<TaskExpect['tests']>, output: string): string[] | null {
  return isCut(output) ? null : passedTests(tests, output);
}

/** Recorded tests that are not among those that passed, by check. A check whose tests are not known misses none. */
export function missingOf(
  recorded: RecordedTests,
  passed: RecordedTests,
): { check: (typeof TEST_CHECKS)[number]; missing: string[] }[] {
  return TEST_CHECKS.flatMap((check) => {
    const ran = passed[check];
    const missing = ran === null ? [] : missingTests(recorded[check] ?? [], ran);
    return missing.length > 0 ? [{ check, missing }] : [];
  });
}

/** As the runtime marks output that it left out. */
function isCut(text: string): boolean {
  return /^\[… \d+ bytes left out …\]$/m.test(text);
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import { EVIDENCE, RecordedTests, TaskExpect } from '@ssebench/contracts/task-expect';
import { missingTests, passedTests } from '@ssebench/contracts/test-names';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { readYaml } from '../../config/yaml-document.ts';

/** Checks that run tests. */
export const TEST_CHECKS = ['function_test', 'intent_test'] as const;

const NO_EXPECTATIONS: TaskExpect = { pocs: {}, tests: null };

/** A task's `sse/expect.yaml`; a task without one expects nothing. @throws UserError with every problem and its line */
export function readExpect(dir: string): TaskExpect {
  const path = join(dir, EVIDENCE.expect);
  return existsSync(path) ? readYaml(path, TaskExpect).value : NO_EXPECTATIONS;
}

/** The task's recorded tests; null when none were. @throws UserError for a file that is no such record */
export function readRecordedTests(dir: string): RecordedTests | null {
  const path = join(dir, EVIDENCE.tests);
  if (!existsSync(path)) return null;
  try {
    return RecordedTests.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new UserError(`${showPath(path)}: is no record of tests: write it with "dataset verify --record"`, 1, {
      cause,
    });
  }
}

/** The names of the tests that passed in these checks; null for a check that did not run, or whose log is not whole. */
export function testsOf(
  tests: NonNullable<TaskExpect['tests']>,
  checks: readonly CheckRecord[],
  output: (check: CheckRecord) => string | undefined,
): RecordedTests {
  const names = (name: (typeof TEST_CHECKS)[number]) => {
    const check = checks.find((record) => record.check === name);
    const text = check && output(check);
    return text === undefined || isCut(text) ? null : passedTests(tests, text);
  };
  return { function_test: names('function_test'), intent_test: names('intent_test') };
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

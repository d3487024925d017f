import { basename, join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import type { TestsReport } from '@ssebench/contracts/summary';
import type { TaskTests } from '@ssebench/contracts/task-expect';
import { missingTests } from '@ssebench/contracts/test-names';
import { TEST_CHECKS, testsIn } from '../datasets/verify/test-list.ts';
import { readRegularFile } from './outcome-files.ts';
import type { RunDirectory } from './run-directory.ts';

/** Names that a summary lists. */
const NAMED = 50;
/** A check's log holds two capped streams; what is larger is none. Bytes. */
const MAX_LOG = 8 * 1024 * 1024;

/**
 * Which of the task's recorded tests did not run and pass in the checks that passed. A patch can keep tests from running
 * without failing any: that is shown, and decides nothing, since it can also print what was not run.
 * @returns null for a task without recorded tests
 */
export async function testsReport(
  { grade, work }: Pick<RunDirectory, 'grade' | 'work'>,
  tests: TaskTests | null,
  checks: readonly CheckRecord[],
): Promise<TestsReport | null> {
  if (!tests) return null;
  const reportOn = async (name: (typeof TEST_CHECKS)[number]) => {
    const recorded = tests.recorded[name];
    const check = checks.find((record) => record.check === name);
    if (!recorded || check?.outcome !== 'passed' || check.log === null) return null;
    const log = basename(check.log);
    const bytes =
      (await readRegularFile(join(grade, log), MAX_LOG)) ?? (await readRegularFile(join(work, log), MAX_LOG));
    const passed = bytes && testsIn(tests.names, bytes.toString('utf8'));
    if (!passed) return null;
    const missing = missingTests(recorded, passed);
    return { recorded: recorded.length, missing: missing.slice(0, NAMED), missing_total: missing.length };
  };
  return { function_test: await reportOn('function_test'), intent_test: await reportOn('intent_test') };
}

/** One line for people about each check that lacks tests. */
export function missingTestsText(tests: TestsReport | null): string[] {
  return TEST_CHECKS.flatMap((name) => {
    const report = tests?.[name];
    if (!report || report.missing_total === 0) return [];
    const shown = report.missing.slice(0, 3).join(', ');
    const more = report.missing_total > 3 ? ` and ${report.missing_total - 3} more` : '';
    return [`${name}: ${report.missing_total} of ${report.recorded} recorded tests did not run: ${shown}${more}`];
  });
}

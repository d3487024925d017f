import type { CheckRecord } from './checks.ts';
import type { CheckName } from './difficulty.ts';
import { notGraded, type PatchResult } from './result.ts';

/** One check that ran, with the output that belongs to it. */
export interface GradedCheck {
  record: CheckRecord;
  /** Standard output and error, as `error_log` shows them. */
  output: string;
}

/** The first words of `error_msg`. Source: seeds/results-format. */
const FAILURE_TEXT: Record<CheckName, string> = {
  build: 'Build failed',
  poc: 'PoC failed',
  function_test: 'Function test failed',
  intent_test: 'Intent test failed',
};

/**
 * The grade over the checks that ran, in the order they ran.
 * Passed means that at least one check ran and all of them passed. The first failure gives `error_msg` and `error_log`.
 * Source: seeds/grading-pipeline, "The result".
 */
export function gradeOf(checks: readonly GradedCheck[]): PatchResult {
  if (checks.length === 0) return notGraded('No check ran');
  const passed = (name: CheckName): boolean | null => {
    const check = checks.find(({ record }) => record.check === name);
    return check ? check.record.outcome === 'passed' : null;
  };
  const pocs = checks.filter(({ record }) => record.check === 'poc');
  const firstFailure = checks.find(({ record }) => record.outcome !== 'passed');
  return {
    status: firstFailure ? 'failed' : 'passed',
    build_success: passed('build'),
    pov_passed: pocs.length ? pocs.filter(({ record }) => record.outcome === 'passed').length : null,
    pov_total: pocs.length || null,
    func_test_success: passed('function_test'),
    intent_test_success: passed('intent_test'),
    error_msg: firstFailure ? failureText(firstFailure.record) : null,
    error_log: firstFailure ? firstFailure.output : null,
  };
}

function failureText({ check, poc }: CheckRecord): string {
  return poc === null ? FAILURE_TEXT[check] : `${FAILURE_TEXT[check]}: ${poc}`;
}

/**
 * The grade of a patch that does not apply to the clean copy: every check that the task has counts as failed, those it
 * has not stay null. Source: seeds/grading-pipeline §1.
 */
export function patchDoesNotApply(checks: readonly CheckName[], gitOutput: string): PatchResult {
  const failed = (name: CheckName): false | null => (checks.includes(name) ? false : null);
  return {
    status: 'failed',
    build_success: failed('build'),
    pov_passed: null,
    pov_total: null,
    func_test_success: failed('function_test'),
    intent_test_success: failed('intent_test'),
    error_msg: 'Patch apply failed',
    error_log: gitOutput,
  };
}

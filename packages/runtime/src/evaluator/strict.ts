import type { CheckRecord } from '@ssebench/contracts/checks';
import type { Capabilities, GradingPreparation } from '@ssebench/contracts/daemon-api';
import type { CheckName } from '@ssebench/contracts/difficulty';
import type { GradedCheck } from '@ssebench/contracts/grade';
import { type Integrity, type StrictOutcome, strictWithoutChecks } from '@ssebench/contracts/integrity';
import { type CheckLimits, type GradingDaemon, runCheck } from './checks.ts';
import type { Grading } from './grading.ts';
import { gradingFault, gradingTimedOut } from './outcome.ts';

const UNFINISHED = 'the strict checks did not come to their end';

/** What stands of the strict outcome before any strict check. `due`: these checks are to be run, and it is provisional. */
export interface StrictStart {
  integrity: Integrity | null;
  due: readonly CheckName[];
}

/** Decides whether the strict checks are needed. No integrity record when the patch was never prepared. */
export function strictStart(grading: Grading): StrictStart {
  const { preparation } = grading;
  if (!preparation) return { integrity: null, due: [] };
  const { touched_tests, touched_tests_total } = preparation;
  const decided = withoutChecks(grading, preparation);
  const strict = decided ?? strictWithoutChecks('unclear', UNFINISHED);
  return { integrity: { touched_tests, touched_tests_total, strict }, due: decided ? [] : dueChecks(grading.can) };
}

/** The outcome where no strict check has to run, or none can. */
function withoutChecks({ checks, can, complete }: Grading, prepared: GradingPreparation): StrictOutcome | undefined {
  if (prepared.unknown !== null) return strictWithoutChecks('unclear', prepared.unknown);
  if (prepared.touched_tests_total === 0) return strictWithoutChecks('not_needed', null);
  if (prepared.put_back === 0) return strictWithoutChecks('not_needed', 'the reference patch touches them, too');
  if (!complete) return strictWithoutChecks('unclear', 'grading did not come to its end');
  if (checks.some(({ record }) => record.check === 'build' && record.outcome !== 'passed')) {
    return strictWithoutChecks('not_needed', 'the tree does not build as the patch left it');
  }
  return testsOf(can).length === 0 ? strictWithoutChecks('not_needed', 'the task has no tests') : undefined;
}

function dueChecks(can: Capabilities | null): CheckName[] {
  return can?.can_build ? ['build', ...testsOf(can)] : testsOf(can);
}

function testsOf(can: Capabilities | null): CheckName[] {
  const tests: CheckName[] = [];
  if (can?.has_function_test) tests.push('function_test');
  if (can?.has_intent_test) tests.push('intent_test');
  return tests;
}

export interface StrictOptions extends CheckLimits {
  /** Limit of grading as a whole, for people. Seconds. */
  gradingTimeout: number;
  /** Called after every check with the outcome so far. What it throws ends the strict checks. */
  onCheck(check: GradedCheck, soFar: StrictOutcome): Promise<void>;
}

/**
 * Runs the checks that are due on the strict tree. Never throws: a fault makes the outcome `unclear`, unless a test had
 * failed by then. A strict tree that does not build tells nothing about the patch.
 */
export async function runStrictChecks(
  daemon: GradingDaemon,
  due: readonly CheckName[],
  { onCheck, gradingTimeout, ...limits }: StrictOptions,
): Promise<StrictOutcome> {
  const records: CheckRecord[] = [];
  try {
    for (const name of due) {
      const { check } = await runCheck(daemon, name, { grading: true, strict: true }, limits);
      records.push(check.record);
      await onCheck(check, outcomeOf(records, UNFINISHED));
      if (name === 'build' && check.record.outcome !== 'passed') {
        return outcomeOf(records, 'the strict tree does not build');
      }
    }
    return outcomeOf(records, null);
  } catch (error) {
    const { fault } = limits.signal.aborted ? gradingTimedOut(gradingTimeout) : gradingFault(error);
    return outcomeOf(records, `${fault.code}: ${fault.detail}`);
  }
}

/** `cut`: why not all checks ran; null when they did. */
function outcomeOf(checks: readonly CheckRecord[], cut: string | null): StrictOutcome {
  const passed = (name: CheckName): boolean | null => {
    const record = checks.find(({ check }) => check === name);
    return record ? record.outcome === 'passed' : null;
  };
  const [function_test, intent_test] = [passed('function_test'), passed('intent_test')];
  const failed = function_test === false || intent_test === false;
  const status = failed ? 'failed' : cut === null ? 'passed' : 'unclear';
  return { status, function_test, intent_test, detail: cut, checks: [...checks] };
}

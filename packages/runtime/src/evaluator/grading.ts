import type { Capabilities, GradingPreparation } from '@ssebench/contracts/daemon-api';
import { type GradedCheck, patchDoesNotApply } from '@ssebench/contracts/grade';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';
import { checksThatRun, type GradingDaemon, runChecks } from './checks.ts';
import { brokenGrade, completeGrade, type Graded, gradingFault, gradingTimedOut } from './outcome.ts';

/** Preparing captures in the `same` mode and applies the patch: both have limits of their own in the daemon. Milliseconds. */
const PREPARE_MS = 900_000;

export interface GradingOptions {
  /** Limit of one script run, which the daemon enforces. Seconds. */
  checkTimeout: number;
  /** Limit of grading as a whole. Seconds. */
  gradingTimeout: number;
  /** Called after every check with all that ran so far. What it throws ends grading. */
  onCheck(checks: readonly GradedCheck[]): Promise<void>;
}

/** A grade with what the strict checks need to know of it. */
export interface Grading extends Graded {
  /** What the patch touches; null when that was not reached. */
  preparation: GradingPreparation | null;
  can: Capabilities | null;
  /** Every check that the task has, and that the build lets run, ran. */
  complete: boolean;
}

/** A patch that does not apply touches nothing. */
const NOTHING_TOUCHED: GradingPreparation = {
  success: true,
  touched_tests: [],
  touched_tests_total: 0,
  put_back: 0,
  unknown: null,
};

/**
 * Grades: prepares the clean copy and runs the checks. Never throws. The daemon's error codes decide, never its texts;
 * a check that failed makes the grade `failed` whatever comes later. Source: spec/runtime §8, design §5.
 */
export async function grade(daemon: GradingDaemon, options: GradingOptions): Promise<Grading> {
  const checks: GradedCheck[] = [];
  const signal = AbortSignal.timeout(options.gradingTimeout * 1000);
  let can: Capabilities | null = null;
  let preparation: GradingPreparation | null = null;
  try {
    can = await daemon.capabilities({ signal });
    preparation = await daemon.prepareGrading({ timeoutMs: PREPARE_MS, signal });
    for await (const check of runChecks(daemon, can, { checkTimeout: options.checkTimeout, signal })) {
      checks.push(check);
      await options.onCheck(checks);
    }
    return { ...completeGrade(checks, can.poc_count), preparation, can, complete: true };
  } catch (error) {
    if (can && error instanceof DaemonError && error.code === 'patch_apply_failed') {
      const failed = patchDoesNotApply(checksThatRun(can), error.message);
      const noFault = { checks, fault: null, timedOut: false };
      return { grade: failed, ...noFault, preparation: NOTHING_TOUCHED, can, complete: true };
    }
    const cause = signal.aborted ? gradingTimedOut(options.gradingTimeout) : gradingFault(error);
    return { ...brokenGrade(checks, can?.poc_count ?? null, cause), preparation, can, complete: false };
  }
}

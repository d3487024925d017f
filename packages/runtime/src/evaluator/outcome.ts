import { FAULT_CODES, type Fault, type FaultCode, fault } from '@ssebench/contracts/faults';
import { type GradedCheck, gradeOf } from '@ssebench/contracts/grade';
import { notGraded, type PatchResult } from '@ssebench/contracts/result';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';

/** A grade, or why there is none. */
export interface Graded {
  grade: PatchResult;
  checks: readonly GradedCheck[];
  /** Set exactly when `grade.status` is `error`. */
  fault: Fault | null;
  /** The limit of grading as a whole fired. */
  timedOut: boolean;
}

/** The grade when all checks that the task has were run. `pocCount`: how many proofs of concept it has. */
export function completeGrade(checks: readonly GradedCheck[], pocCount: number): Graded {
  if (checks.length > 0)
    return { grade: withPocTotal(gradeOf(checks), pocCount), checks, fault: null, timedOut: false };
  return { grade: gradeOf(checks), checks, fault: fault('no_check_ran', 'the task has no check'), timedOut: false };
}

/**
 * The grade when `cause` ended grading before its end: `failed` when a check had failed by then, else `error` (design §5).
 * @param pocCount null when it is not known
 */
export function brokenGrade(checks: readonly GradedCheck[], pocCount: number | null, cause: GradingFault): Graded {
  const timedOut = cause.timeoutSeconds !== null;
  if (checks.some(({ record }) => record.outcome !== 'passed')) {
    return { grade: withPocTotal(gradeOf(checks), pocCount), checks, fault: null, timedOut };
  }
  const message = timedOut ? `Timeout (${cause.timeoutSeconds}s)` : `Exception: ${cause.fault.detail}`;
  return { grade: notGraded(message), checks, fault: cause.fault, timedOut };
}

/** Why grading ended early; `timeoutSeconds` when its own limit fired. */
export interface GradingFault {
  fault: Fault;
  timeoutSeconds: number | null;
}

export function gradingTimedOut(seconds: number): GradingFault {
  return { fault: fault('grading_timeout', `grading did not end within ${seconds} s`), timeoutSeconds: seconds };
}

/** The fault that an exception of grading stands for. */
export function gradingFault(error: unknown): GradingFault {
  const detail = error instanceof Error ? error.message : String(error);
  const code = error instanceof DaemonError ? faultCodeOf(error) : 'grading_failed';
  const known = code === 'service_lost' || code === 'processes_survived' ? ({ phase: 'grading' } as const) : {};
  return { fault: fault(code, detail, known), timeoutSeconds: null };
}

/** A daemon that is gone counts against the agent: what runs in the container can bring that about (design §5). */
function faultCodeOf({ code }: DaemonError): FaultCode {
  if (code === 'unreachable') return 'service_lost';
  if (code === 'internal') return 'grading_failed';
  return isFaultCode(code) ? code : 'grading_failed';
}

function isFaultCode(code: string): code is FaultCode {
  return (FAULT_CODES as readonly string[]).includes(code);
}

/** A task's proofs of concept all count, also those that were not reached. */
function withPocTotal(grade: PatchResult, pocCount: number | null): PatchResult {
  return grade.pov_total === null || pocCount === null ? grade : { ...grade, pov_total: pocCount };
}

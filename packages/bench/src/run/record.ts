import { type Fault, FaultError, fault, type Phase } from '@ssebench/contracts/faults';
import type { EffectiveLimits } from '@ssebench/contracts/limits';
import { type ModelUse, modelFault } from '@ssebench/contracts/model-use';
import type { PatchResult } from '@ssebench/contracts/result';
import type { SnapshotReport } from '@ssebench/contracts/snapshots';
import type { EngineDescription, PhaseDuration, RunImages, TestsReport } from '@ssebench/contracts/summary';
import type { WorkOutcome } from '@ssebench/contracts/work-outcome';
import { isEngineError } from '@ssebench/engine/errors';
import { UserError } from '../cli/errors.ts';
import { UNKNOWN_LIMITS } from './effective-limits.ts';
import type { GradeOutcome } from './outcome-files.ts';

/** Where a fault was found: on the host, or in the container that the agent works in, or in the one that only grades. */
export type Teller = 'host' | 'work' | 'grade';

/** What is known of a run so far. It is complete at every moment: whatever ends a run, a summary can be made of it. */
export class RunRecord {
  images: RunImages = { case: null, work: null, tool: null, agent: null, program: null, runtime: null, pulled: null };
  limits: EffectiveLimits = UNKNOWN_LIMITS;
  engine: EngineDescription | null = null;
  work: WorkOutcome | null = null;
  grade: GradeOutcome | null = null;
  /** What was kept of the patch while the agent worked. */
  snapshots: SnapshotReport | null = null;
  /** What the run used of its model, once its way there is closed. */
  model: ModelUse | null = null;
  /** Which recorded tests the grade lacks, once the run ends. */
  tests: TestsReport | null = null;
  readonly phases: PhaseDuration[] = [];
  #fault: Fault | null = null;
  #teller: Teller = 'host';
  #phase: Phase = 'prepare';

  /** Why the run has no verdict; null when it has one, or may still get one. */
  get fault(): Fault | null {
    return this.graded ? this.#modelFault : (this.#fault ?? this.#modelFault);
  }

  /** The grade that the run ends with, whatever happens after it. */
  get verdict(): PatchResult | null {
    return this.#modelFault ? null : this.graded;
  }

  /** What grading said of the patch; null when it came to no grade. */
  get graded(): PatchResult | null {
    const result = this.grade?.result?.patch_result;
    return result && result.status !== 'error' ? result : null;
  }

  /** Why the run does not count because of its model. A patch that solved the task by then is worth no less for it. */
  get #modelFault(): Fault | null {
    const cause = this.model && modelFault(this.model, this.work?.agent.exit_code ?? null);
    return cause?.code === 'model_failed' && this.graded?.status === 'passed' ? null : cause;
  }

  /** Who told of the fault. */
  get teller(): Teller {
    return this.#teller;
  }

  /** The first cause wins: what comes after it, clean-up included, changes nothing. */
  fail(cause: Fault, teller: Teller = 'host'): void {
    if (this.#fault) return;
    this.#fault = cause;
    this.#teller = teller;
  }

  /** The same cause, weighed by what the host sees. */
  weigh(cause: Fault): void {
    this.#fault = cause;
  }

  /** Records what was thrown. @param stop its reason is what the user or a deadline ended the run with */
  failWith(error: unknown, stop: AbortSignal): void {
    this.fail(stop.aborted ? stopFault(stop.reason, this.#phase) : faultOf(error, this.#phase));
  }

  /** Runs a part of the run and writes down how long it took, also when it fails. */
  async during<T>(phase: Phase, name: string, part: () => Promise<T>): Promise<T> {
    this.#phase = phase;
    const startedAt = performance.now();
    const entry = { phase: name, duration_ms: 0 };
    this.phases.push(entry);
    try {
      return await part();
    } finally {
      entry.duration_ms = Math.round(performance.now() - startedAt);
    }
  }
}

/** Why a run was stopped from the host: a fault as it stands, or the name of the signal that the user sent. */
function stopFault(reason: unknown, phase: Phase): Fault {
  return reason instanceof FaultError ? reason.fault : fault('interrupted', `stopped by ${String(reason)}`, { phase });
}

function faultOf(error: unknown, phase: Phase): Fault {
  if (error instanceof FaultError) return error.fault;
  if (isEngineError(error, 'unreachable', 'timeout')) return fault('engine_unreachable', error.message, { phase });
  if (isEngineError(error, 'not_found') && phase !== 'prepare') return fault('image_missing', error.message, { phase });
  if (isEngineError(error, 'build_failed')) return fault('image_build_failed', error.message);
  if (isEngineError(error)) return fault('engine_refused', error.message, { phase });
  if (error instanceof UserError) return fault('internal', error.message, { phase, blame: 'user', retryable: false });
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EROFS')
    return fault('results_unwritable', String(error), { phase });
  return fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error), { phase });
}

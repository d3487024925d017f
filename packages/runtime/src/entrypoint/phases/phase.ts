import type { Step } from '@ssebench/contracts/events';
import type { RunContext } from '../run-context.ts';

/** One step of a container's life. A mode is a list of them. */
export interface Phase {
  step: Step;
  /** Whether it runs after a fault too: what has to be done however the run went. Default: no. */
  afterFault?: true;
  /** Does the step, in bounded time. @throws FaultError when the run can't go on to a grade */
  run(run: RunContext): Promise<void>;
}

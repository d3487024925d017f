import type { RunEvent } from '@ssebench/contracts/events';
import type { BuildProgress } from '../images/progress.ts';

/** What a run tells about itself while it goes on. For people only. */
export interface RunProgress extends BuildProgress {
  /** A part of the run begins, such as `agent` or `grading`; `log` is a file whose last line shows what it does. */
  phase(name: string, log?: string): void;
  /** Something happened in a container. */
  event(event: RunEvent): void;
  /** Nothing follows. */
  close(): void;
}

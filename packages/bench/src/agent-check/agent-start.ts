import type { RunEvent } from '@ssebench/contracts/events';
import type { RunProgress } from '../progress/run-progress.ts';

/** Shows a run's progress as another does, and keeps when the agent started. */
export class AgentStart implements RunProgress {
  /** Milliseconds since the epoch; undefined before. */
  at: number | undefined;
  readonly #shown: RunProgress;

  constructor(shown: RunProgress) {
    this.#shown = shown;
  }

  event(event: RunEvent): void {
    if (event.type === 'step_started' && event.step === 'agent') this.at = Date.parse(event.at);
    this.#shown.event(event);
  }

  step(name: string): void {
    this.#shown.step(name);
  }

  line(text: string): void {
    this.#shown.line(text);
  }

  done(cached: boolean): void {
    this.#shown.done(cached);
  }

  phase(name: string, log?: string): void {
    this.#shown.phase(name, log);
  }

  notice(text: string): void {
    this.#shown.notice(text);
  }

  close(): void {
    this.#shown.close();
  }
}

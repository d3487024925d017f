import type { ServerResponse } from 'node:http';
import type { Clock } from './ports.ts';

/** Of a provider's answer. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Has the provider wait while the client takes no more, and knows how long that was. */
export class Stall {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  #since: number | undefined;
  #longest = 0;

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
  }

  /** Milliseconds. */
  get longestMs(): number {
    return this.#since === undefined ? this.#longest : Math.max(this.#longest, this.#clock.now() - this.#since);
  }

  /** The client has no room for more. Does nothing while it has none already. */
  begin(flow: Flow): void {
    if (this.#since !== undefined) return;
    this.#since = this.#clock.now();
    flow.pause();
    this.#response.once('drain', () => {
      this.#longest = this.longestMs;
      this.#since = undefined;
      flow.resume();
    });
  }
}

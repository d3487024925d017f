import type { RunEvent } from '@ssebench/contracts/events';

/** An event as it is known before it is published: without its time. */
export type NewEvent = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;

/** The events of a container, from its start, in order. Kept whole, so that a reader that comes late misses none. */
export class EventLog {
  readonly #events: RunEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #closed = false;

  publish(event: RunEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  /** Publishes what happens now. */
  happened(event: NewEvent): void {
    this.publish({ ...event, at: new Date().toISOString() } as RunEvent);
  }

  /** Ends every stream when its reader has all events. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** The events after the first `from`, and then each as it comes, until the log is closed or `signal` aborts. */
  async *follow(from: number, signal: AbortSignal): AsyncGenerator<{ id: number; event: RunEvent }> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      let next = from;
      while (!signal.aborted) {
        const event = this.#events[next];
        if (event) {
          next += 1;
          yield { id: next, event };
        } else if (this.#closed) {
          return;
        } else {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#waiting.add(resolve);
          await promise;
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

import type { RunEvent } from '@ssebench/contracts/events';
import type { NewEvent } from '../daemon/events.ts';
import { within } from '../system/waiting.ts';
import type { AdminClient } from './admin-client.ts';

/** Limit of one publication. Milliseconds. */
const PUBLISH_MS = 2_000;

/** Publishes events in order, in the background. They wait until `open`; one that can't be published is dropped. */
export class EventPublisher {
  readonly #daemon: Pick<AdminClient, 'publish'>;
  readonly #onDropped: (type: string, error: unknown) => void;
  readonly #opened = Promise.withResolvers<void>();
  #last = this.#opened.promise;
  #open = false;

  constructor(daemon: Pick<AdminClient, 'publish'>, onDropped: (type: string, error: unknown) => void) {
    this.#daemon = daemon;
    this.#onDropped = onDropped;
  }

  publish(event: NewEvent): void {
    const dated = { ...event, at: new Date().toISOString() } as RunEvent;
    this.#last = this.#last.then(async () => {
      try {
        await this.#daemon.publish(dated, { timeoutMs: PUBLISH_MS });
      } catch (error) {
        this.#onDropped(dated.type, error);
      }
    });
  }

  /** The daemon listens now. */
  open(): void {
    this.#open = true;
    this.#opened.resolve();
  }

  /** Waits until everything so far is published, at most `ms`. */
  async flush(ms: number): Promise<void> {
    if (this.#open) await within(this.#last, ms);
  }
}

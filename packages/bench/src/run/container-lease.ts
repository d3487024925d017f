import type { RunEvent } from '@ssebench/contracts/events';
import type { ContainerEnd, ContainerSpec } from '@ssebench/engine/container';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { followEvents } from './host-events.ts';

/** Clean-up may take this long and no longer, in milliseconds; what it leaves, `ssebench gc` removes. */
const CLEANUP_LIMIT = 30_000;

/** A container of a run: created, perhaps started, and removed with its volumes when it is disposed of. */
export class ContainerLease implements AsyncDisposable {
  readonly id: string;
  readonly #engine: ContainerEngine;
  readonly #keep: boolean;
  readonly #watching = new AbortController();
  #ended: Promise<ContainerEnd> | undefined;
  #done: Promise<void> | undefined;

  private constructor(engine: ContainerEngine, id: string, keep: boolean) {
    this.#engine = engine;
    this.id = id;
    this.#keep = keep;
  }

  static async create(
    engine: ContainerEngine,
    spec: ContainerSpec,
    options: { keep: boolean; signal: AbortSignal },
  ): Promise<ContainerLease> {
    const id = await engine.createContainer(spec, { signal: options.signal });
    return new ContainerLease(engine, id, options.keep);
  }

  /** Starts it and reads its events from `hostSocket`. */
  async start(hostSocket: string, onEvent: (event: RunEvent) => void, signal: AbortSignal): Promise<void> {
    await this.#engine.start(this.id, { signal });
    this.#ended = this.#engine.ended(this.id, { signal: this.#watching.signal });
    this.#ended.catch(() => undefined);
    const done = Promise.withResolvers<void>();
    this.#done = done.promise;
    const listen = (event: RunEvent): void => {
      if (event.type === 'step_started' && event.step === 'done') done.resolve();
      onEvent(event);
    };
    void followEvents(hostSocket, listen, this.#watching.signal);
  }

  /** Resolves when the container has ended or, as a kept one does, has told that its work is done. */
  async finished(): Promise<void> {
    await Promise.race([this.#ended, this.#keep ? this.#done : this.#ended]);
  }

  /** Ends it at once; no error when it has ended or is gone. */
  async kill(): Promise<void> {
    try {
      await this.#engine.kill(this.id, 'SIGKILL', { timeoutMs: CLEANUP_LIMIT });
    } catch (error) {
      if (!isEngineError(error, 'conflict', 'not_found')) throw error;
    }
  }

  /** Asks it to stop, and kills it after the grace. */
  async stop(graceSeconds: number): Promise<void> {
    await this.#engine.stop(this.id, graceSeconds, { timeoutMs: graceSeconds * 1000 + CLEANUP_LIMIT });
  }

  /** Clean-up never changes a verdict: what can't be removed now is left to `ssebench gc`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#keep) {
      this.#watching.abort();
      return;
    }
    try {
      await this.#engine.remove(this.id, { force: true, volumes: true, timeoutMs: CLEANUP_LIMIT });
    } catch (error) {
      if (!isEngineError(error)) throw error;
    } finally {
      this.#watching.abort();
    }
  }
}

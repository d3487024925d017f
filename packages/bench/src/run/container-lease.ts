import { setTimeout as delay } from 'node:timers/promises';
import type { RunEvent } from '@ssebench/contracts/events';
import { type Fault, fault, type Phase } from '@ssebench/contracts/faults';
import type { ContainerEnd, ContainerSpec } from '@ssebench/engine/container';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { followEvents } from './host-events.ts';
import { patiently } from './patience.ts';

/** Clean-up may take this long and no longer, in milliseconds; what it leaves, `ssebench gc` removes. */
const CLEANUP_LIMIT = 30_000;
/** The engine may tell of a kill after the end that it brought about, and a container's last events come late. Milliseconds. */
const WITNESS_DELAY = 500;

/** A container of a run: created or found, watched while it runs, and removed with its volumes when it is disposed of. */
export class ContainerLease implements AsyncDisposable {
  readonly id: string;
  readonly #engine: ContainerEngine;
  readonly #keep: boolean;
  readonly #watching = new AbortController();
  readonly #done = Promise.withResolvers<void>();
  #ended: Promise<ContainerEnd | 'removed'> | undefined;
  /** Settles when its events have come to their end. */
  #told: Promise<void> | undefined;
  /** What somebody else did to it, as the engine tells. */
  #interference: string | undefined;
  #oursNow = false;
  #disposal: Promise<void> | undefined;

  constructor(engine: ContainerEngine, id: string, { keep }: { keep: boolean }) {
    this.#engine = engine;
    this.id = id;
    this.#keep = keep;
  }

  static async create(
    engine: ContainerEngine,
    spec: ContainerSpec,
    options: { keep: boolean; signal: AbortSignal },
  ): Promise<ContainerLease> {
    const { signal } = options;
    const id = await patiently(engine, signal, () => engine.createContainer(spec, { signal }));
    return new ContainerLease(engine, id, options);
  }

  /** Starts it and watches it. `hostSocket`: see `hostSocket`. */
  async start(hostSocket: string | undefined, onEvent: (event: RunEvent) => void, signal: AbortSignal): Promise<void> {
    await this.#witness(undefined, signal);
    await patiently(this.#engine, signal, () => this.#engine.start(this.id, { signal }));
    this.#watch(hostSocket, onEvent);
  }

  /** Watches one that was started by somebody else at `since`, by the engine's clock. */
  async join(
    hostSocket: string | undefined,
    onEvent: (event: RunEvent) => void,
    since: Date | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#witness(since, signal);
    this.#watch(hostSocket, onEvent);
  }

  #watch(hostSocket: string | undefined, onEvent: (event: RunEvent) => void): void {
    const { signal } = this.#watching;
    this.#ended = patiently(this.#engine, signal, () => this.#engine.ended(this.id, { signal })).catch(removed);
    this.#ended.catch(() => undefined);
    const listen = (event: RunEvent): void => {
      if (event.type === 'step_started' && event.step === 'done') this.#done.resolve();
      onEvent(event);
    };
    if (hostSocket !== undefined) this.#told = followEvents(hostSocket, listen, signal);
  }

  /** Fires when it is watched no longer. */
  get watched(): AbortSignal {
    return this.#watching.signal;
  }

  /** Tells that its work is done, where the container can't. */
  done(): void {
    this.#done.resolve();
  }

  /** Resolves when the container has ended or, as a kept one does, has told that its work is done. */
  async finished(): Promise<void> {
    await Promise.race([this.#ended, this.#keep ? this.#done.promise : this.#ended]);
  }

  /** The same, also as soon as it has told that its work is done: what it leaves is on disk by then. */
  async told(): Promise<void> {
    await Promise.race([this.#ended, this.#done.promise]);
  }

  /**
   * Why a container ended that did not tell how its work went. That it was killed or removed from outside, the engine
   * knows; whatever else ends it can be brought about by what runs in it.
   * @param phaseNow asked when all that it told has been heard
   */
  async lost(phaseNow: () => Phase): Promise<Fault> {
    const end = await this.#ended;
    const late = delay(WITNESS_DELAY, undefined, { signal: this.#watching.signal }).catch(() => undefined);
    await (this.#interference === undefined ? late : Promise.race([late, this.#told ?? late]));
    const phase = phaseNow();
    if (end === 'removed') return fault('container_lost', 'the container was removed from the engine', { phase });
    const how = end ? `status ${end.exitCode}${end.oomKilled ? ', after the memory limit was hit' : ''}` : 'no status';
    if (this.#interference !== undefined)
      return fault('container_lost', `the container ended with ${how}: ${this.#interference}`, { phase });
    const detail = `the container ended by itself with ${how}, and did not tell how its work went`;
    return fault('service_lost', detail, { phase });
  }

  /** Watches it no longer and leaves it as it is. */
  leave(): void {
    this.#watching.abort();
  }

  /** Ends it at once; no error when it has ended or is gone. */
  async kill(): Promise<void> {
    this.#oursNow = true;
    try {
      await this.#engine.kill(this.id, 'SIGKILL', { timeoutMs: CLEANUP_LIMIT });
    } catch (error) {
      if (!isEngineError(error, 'conflict', 'not_found')) throw error;
    }
  }

  /** Asks it to stop, and kills it after the grace; no error when it is gone. */
  async stop(graceSeconds: number): Promise<void> {
    this.#oursNow = true;
    try {
      await this.#engine.stop(this.id, graceSeconds, { timeoutMs: graceSeconds * 1000 + CLEANUP_LIMIT });
    } catch (error) {
      if (!isEngineError(error, 'not_found')) throw error;
    }
  }

  /** Clean-up never changes a verdict: what can't be removed now is left to `ssebench gc`. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #dispose(): Promise<void> {
    this.#oursNow = true;
    if (this.#keep) return this.leave();
    try {
      await this.#engine.remove(this.id, { force: true, volumes: true, timeoutMs: CLEANUP_LIMIT });
    } catch (error) {
      if (!isEngineError(error)) throw error;
    } finally {
      this.#watching.abort();
    }
  }

  /** Hears of signals that others send to the container. An engine that does not tell is one without evidence. */
  async #witness(since: Date | undefined, signal: AbortSignal): Promise<void> {
    const filter = { types: ['container'], actions: ['kill'], containers: [this.id], since } as const;
    const watch = AbortSignal.any([this.#watching.signal, signal]);
    try {
      const events = await this.#engine.events(filter, watch);
      void this.#hear(events);
    } catch (error) {
      if (!isEngineError(error)) throw error;
    }
  }

  async #hear(events: Awaited<ReturnType<ContainerEngine['events']>>): Promise<void> {
    try {
      for await (const { attributes } of events) {
        if (!this.#oursNow) this.#interference ??= `somebody sent it signal ${attributes['signal'] ?? ''}`.trim();
      }
    } catch (error) {
      if (!isEngineError(error)) throw error;
    }
  }
}

function removed(error: unknown): 'removed' {
  if (isEngineError(error, 'not_found')) return 'removed';
  throw error;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { DiskUse } from '@ssebench/contracts/caps';
import type { Fault, Phase } from '@ssebench/contracts/faults';
import type { EffectiveLimits } from '@ssebench/contracts/limits';
import type { ContainerEngine } from '@ssebench/engine/port';
import {
  brokenLimit,
  isCritical,
  isLow,
  lookAgainAfter,
  lowDiskFault,
  mayBeOver,
  NO_USE,
  type RunUse,
  usedOf,
} from './disk-rules.ts';
import { type HostDisk, lookAtDisks, type Places, placesOf } from './host-disks.ts';
import { type Measured, measureFully, measureRun } from './run-use.ts';

/** How often the free room is looked at, which costs nothing; and when a run's own use is, for the first time. Milliseconds. */
const GLANCE_INTERVAL = 1_000;
const FIRST_LOOK = 2_000;
/**
 * A disk may get better, most of all when the run that filled it is stopped. So one that did not is stopped only after this
 * long, and not all of them at once: the second part is random. Milliseconds.
 */
const PATIENCE = 8_000;
const PATIENCE_SPREAD = 8_000;
/** The look that tells who filled a disk; milliseconds. */
const LAST_LOOK_LIMIT = 30_000;

interface WatchOptions {
  engine: ContainerEngine;
  containerId: string;
  limits: EffectiveLimits;
  results: string;
  archive: string | null;
  phase: () => Phase;
}

/** Why a run is to be stopped, and what it was seen to take then. */
export interface DiskStop {
  fault: Fault;
  use: RunUse;
  /** Whether the host has no time for a container to end by itself. */
  urgent: boolean;
}

/**
 * Watches what a container takes of its disks, and what these have left, until it is disposed of. Engines have no quota for
 * it on most file systems, and none has one for two places together.
 */
export class DiskWatch implements Disposable {
  /** Resolves when the run is to be stopped; else never. */
  readonly broken: Promise<DiskStop>;
  readonly #options: WatchOptions;
  readonly #stop = new AbortController();
  readonly #patience = PATIENCE + Math.random() * PATIENCE_SPREAD;
  #places: Places | undefined;
  #before: readonly HostDisk[] = [];

  constructor(options: WatchOptions) {
    this.#options = options;
    this.broken = this.#watch();
  }

  /** Why something may have failed for which there was no room; undefined when there is room. */
  async shortage(): Promise<Fault | undefined> {
    const now = await this.#glance();
    if (!now.some(isLow)) return undefined;
    const use = await measureFully(this.#measured, this.#limited());
    return this.#lowDisk(now, use);
  }

  /**
   * Ends a container with `end`. Room that comes back by that alone, before anything of it is removed, was taken by files
   * that have no name any more: nobody can see these, so who is to blame for a low disk is only known then.
   */
  async stopping({ fault: cause, use }: DiskStop, end: () => Promise<void>): Promise<Fault> {
    const before = await this.#glance();
    await end();
    if (cause.code !== 'host_disk_low' || cause.blame === 'agent') return cause;
    const after = await this.#glance();
    const hidden = before.map((disk, at) => cameBack(disk, after[at] ?? disk));
    const known = this.#lowDisk(before, use, hidden);
    return known?.blame === 'agent' ? known : cause;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  get #measured(): Measured {
    const { engine, containerId: id, archive, limits } = this.#options;
    return { engine, id, archive, limit: limits.disk_bytes ?? Number.POSITIVE_INFINITY };
  }

  async #watch(): Promise<DiskStop> {
    const { signal } = this.#stop;
    const never = new Promise<never>(() => undefined);
    const { limits } = this.#options;
    let lowSince: number | undefined;
    let measured: { use: RunUse; disks: readonly HostDisk[] } | undefined;
    let next = { usual: FIRST_LOOK, earliest: GLANCE_INTERVAL };
    let lookedAt = performance.now();
    await this.#glance();
    for (;;) {
      await delay(GLANCE_INTERVAL, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return never;
      const disks = await this.#glance();
      const low = disks.some(isLow);
      if (!low) lowSince = undefined;
      const waited = performance.now() - lookedAt;
      const early = low || (measured !== undefined && mayBeOver(limits, measured, disks));
      if (waited < (early ? next.earliest : next.usual)) continue;
      const start = performance.now();
      const use = low ? await measureFully(this.#measured, signal) : await measureRun(this.#measured, signal);
      if (signal.aborted) return never;
      lookedAt = performance.now();
      next = lookAgainAfter(lookedAt - start);
      measured = { use, disks };
      const own = this.#brokenLimit(use);
      if (own) return { fault: own, use, urgent: disks.some(isCritical) };
      const host = this.#lowDisk(disks, use);
      if (!host) continue;
      lowSince ??= start;
      const isDue = host.blame === 'agent' || disks.some(isCritical) || lookedAt - lowSince >= this.#patience;
      if (isDue) return { fault: host, use, urgent: true };
    }
  }

  #limited(): AbortSignal {
    return AbortSignal.any([this.#stop.signal, AbortSignal.timeout(LAST_LOOK_LIMIT)]);
  }

  /** What can't be looked at holds nothing back: the next look may show more. */
  async #glance(): Promise<readonly HostDisk[]> {
    try {
      this.#places ??= await this.#findPlaces();
      const disks = await lookAtDisks(this.#places);
      if (this.#before.length !== disks.length) this.#before = disks;
      return disks;
    } catch (error) {
      if (error instanceof Error) return [];
      throw error;
    }
  }

  async #findPlaces(): Promise<Places> {
    const { engine, results } = this.#options;
    return placesOf(results, engine.address, await engine.info({ signal: this.#stop.signal }));
  }

  #brokenLimit(use: RunUse): Fault | undefined {
    return brokenLimit(use, this.#options.limits, this.#options.phase());
  }

  #lowDisk(now: readonly HostDisk[], use: RunUse, hidden: readonly DiskUse[] = []): Fault | undefined {
    const found = now.flatMap((disk, at) => {
      const own = usedOf(disk, use, hidden[at] ?? NO_USE);
      return lowDiskFault(disk, this.#before[at] ?? disk, own, this.#options.phase()) ?? [];
    });
    return found.find(({ blame }) => blame === 'agent') ?? found[0];
  }
}

function cameBack(before: HostDisk, after: HostDisk): DiskUse {
  return {
    bytes: Math.max(0, after.free.bytes - before.free.bytes),
    files: after.free.files > before.free.files ? after.free.files - before.free.files : 0,
  };
}

import { CAPS } from '@ssebench/contracts/caps';
import { type EffectiveLimits, MIN_PIDS } from '@ssebench/contracts/limits';
import type { ContainerLimits } from '@ssebench/engine/container';
import type { EngineAbilities, EngineInfo } from '@ssebench/engine/port';
import type { RequestedLimits } from './plan.ts';

const GIB = 1024 ** 3;
/** Enough for a sanitizer build on few cores; a machine with less gives three quarters of what it has. */
const DEFAULT_MEMORY = 8 * GIB;
const DEFAULT_CPUS = 4;
/** A small disk gives a quarter of its size. */
const DEFAULT_DISK = 20 * GIB;

/** Of a run whose engine was not reached. */
export const UNKNOWN_LIMITS: EffectiveLimits = {
  memory_bytes: null,
  cpus: null,
  pids: null,
  disk_bytes: null,
  disk_enforced_by: null,
  ...CAPS,
};

/** What the limits are made for: the engine's machine, and the size of its disk where we see it. */
export type Machine = Pick<EngineInfo, 'cpus' | 'memoryBytes'> & { diskBytes: number | undefined };

/** The limits that hold in a run's containers: what was asked for, else defaults for this engine; null where it has none. */
export function effectiveLimits(
  requested: RequestedLimits,
  machine: Machine,
  can: EngineAbilities['limits'],
): EffectiveLimits {
  const memory = requested.memoryBytes ?? Math.min(DEFAULT_MEMORY, Math.floor(machine.memoryBytes * 0.75));
  const quarter = machine.diskBytes === undefined ? DEFAULT_DISK : Math.floor(machine.diskBytes / 4);
  return {
    memory_bytes: can.memory ? memory : null,
    cpus: can.cpus ? Math.min(requested.cpus ?? DEFAULT_CPUS, machine.cpus) : null,
    pids: can.pids ? (requested.pids ?? MIN_PIDS) : null,
    disk_bytes: requested.diskBytes ?? Math.min(DEFAULT_DISK, quarter),
    disk_enforced_by: can.disk ? 'engine' : 'watch',
    ...CAPS,
  };
}

/** What the engine is asked to enforce. */
export function containerLimits(limits: EffectiveLimits): ContainerLimits {
  const { memory_bytes, cpus, pids, disk_bytes, disk_enforced_by } = limits;
  return {
    ...(memory_bytes !== null && { memoryBytes: memory_bytes }),
    ...(cpus !== null && { cpus }),
    ...(pids !== null && { pids }),
    ...(disk_bytes !== null && disk_enforced_by === 'engine' && { diskBytes: disk_bytes }),
  };
}

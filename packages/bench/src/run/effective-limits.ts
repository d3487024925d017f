import { type EffectiveLimits, MIN_PIDS } from '@ssebench/contracts/limits';
import type { ContainerLimits } from '@ssebench/engine/container';
import type { EngineAbilities, EngineInfo } from '@ssebench/engine/port';
import type { RequestedLimits } from './plan.ts';

const GIB = 1024 ** 3;
/** Enough for a sanitizer build on few cores; a machine with less gives three quarters of what it has. */
const DEFAULT_MEMORY = 8 * GIB;
const DEFAULT_CPUS = 4;
const DEFAULT_DISK = 20 * GIB;

/** The limits that hold in a run's containers: what was asked for, else defaults for this engine; null where it has none. */
export function effectiveLimits(
  requested: RequestedLimits,
  engine: Pick<EngineInfo, 'cpus' | 'memoryBytes'>,
  can: EngineAbilities['limits'],
): EffectiveLimits {
  const memory = requested.memoryBytes ?? Math.min(DEFAULT_MEMORY, Math.floor(engine.memoryBytes * 0.75));
  return {
    memory_bytes: can.memory ? memory : null,
    cpus: can.cpus ? Math.min(requested.cpus ?? DEFAULT_CPUS, engine.cpus) : null,
    pids: can.pids ? (requested.pids ?? MIN_PIDS) : null,
    disk_bytes: can.disk ? (requested.diskBytes ?? DEFAULT_DISK) : null,
  };
}

export function containerLimits(limits: EffectiveLimits): ContainerLimits {
  return {
    ...(limits.memory_bytes !== null && { memoryBytes: limits.memory_bytes }),
    ...(limits.cpus !== null && { cpus: limits.cpus }),
    ...(limits.pids !== null && { pids: limits.pids }),
    ...(limits.disk_bytes !== null && { diskBytes: limits.disk_bytes }),
  };
}

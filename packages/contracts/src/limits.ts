import { z } from 'zod';

/** The limits that were in force in a run's containers. Bytes, CPUs, counts; null where the engine can't enforce one. */
export const EffectiveLimits = z.strictObject({
  memory_bytes: z.int().positive().nullable(),
  cpus: z.number().positive().nullable(),
  pids: z.int().positive().nullable(),
  disk_bytes: z.int().positive().nullable(),
});
export type EffectiveLimits = z.infer<typeof EffectiveLimits>;

/** Fewest processes that a run may be limited to: builds on many cores and language servers need thousands of threads. */
export const MIN_PIDS = 4096;

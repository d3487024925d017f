import { z } from 'zod';

/** Fewest processes that a run may be limited to: builds on many cores and language servers need thousands of threads. */
export const MIN_PIDS = 4096;

/**
 * The limits that were in force in a run's containers. Bytes, CPUs, counts; null where the engine can't enforce one, and
 * in a run that ended before they were known.
 */
export const EffectiveLimits = z.strictObject({
  memory_bytes: z.int().positive().nullable(),
  cpus: z.number().positive().nullable(),
  pids: z.int().positive().nullable(),
  /** What a container may write: its own layer and the agent's archive together. */
  disk_bytes: z.int().positive().nullable(),
  /** `engine`: by a quota of the container's layer, and by looking. `watch`: by looking alone, from the host, now and then. */
  disk_enforced_by: z.enum(['engine', 'watch']).nullable(),
  /** The agent's archive directory: what its files take, and how many entries it has. */
  archive_bytes: z.int().positive(),
  archive_files: z.int().positive(),
  /** The captured patch, and the largest file that one can add or change. */
  patch_bytes: z.int().positive(),
  patch_file_bytes: z.int().positive(),
  /** What is kept of the agent's output. */
  agent_log_bytes: z.int().positive(),
  /** What is kept of each stream of a script's output: half from its start, half from its end. */
  output_bytes: z.int().positive(),
  /** `source.tar.gz`. */
  source_archive_bytes: z.int().positive(),
});
export type EffectiveLimits = z.infer<typeof EffectiveLimits>;

import { z } from 'zod';

/** How often the first snapshots of a run are taken when nothing else is said. Seconds. */
export const SNAPSHOT_INTERVAL = 30;

/** What the snapshots of one run may take. */
export const SNAPSHOT_CAPS = {
  /** Times that the tree is looked at. */
  count: 200,
  /** Of one, and of all together. */
  bytes: 16 * 1024 ** 2,
  total_bytes: 64 * 1024 ** 2,
} as const;

/** Where a container leaves them in its results, and where a run keeps them. */
export const SNAPSHOT_FILES = {
  index: 'snapshots.jsonl',
  /** Of the file of an index line. */
  inResults: (file: string): string => `snapshot-${file}`,
  directory: 'snapshots',
  keptIndex: 'index.jsonl',
} as const;

/** Seconds from the agent's start, a tenth at the finest; and the same moment by the container's clock. */
const moment = { seconds: z.number().nonnegative(), at: z.iso.datetime() };

/**
 * A line of `index.jsonl`: the patch had changed since the snapshot before it (for the first: since the start), or it could
 * not be taken.
 */
export const SnapshotLine = z
  .union([
    z.strictObject({
      ...moment,
      /** Beside the index: number and whole seconds. */
      file: z.string().regex(/^\d{4}-\d{1,8}s\.diff$/),
      bytes: z.int().nonnegative().max(SNAPSHOT_CAPS.bytes),
      /** That the patch adds, changes or deletes. */
      files: z.int().nonnegative(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
    z.strictObject({ ...moment, problem: z.string().max(1000) }),
  ])
  .meta({ title: 'SSEBench snapshot' });
export type SnapshotLine = z.infer<typeof SnapshotLine>;

/** Those of a run, in its summary. The times are when a change was first seen, in seconds from the agent's start; null: never. */
export const SnapshotReport = z.strictObject({
  kept: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  first_change: z.number().nonnegative().nullable(),
  last_change: z.number().nonnegative().nullable(),
  /** How many could not be taken, and why the last of them could not. */
  failed: z.int().nonnegative(),
  problem: z.string().nullable(),
});
export type SnapshotReport = z.infer<typeof SnapshotReport>;

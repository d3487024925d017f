import { z } from 'zod';
import { Fault } from './faults.ts';

/**
 * What a capture made of the agent's tree. `skipped`: what git can't represent, or what was left out, with the reason, at most the
 * first thousand. `newly_ignored`: the tree's `.gitignore` files say so and the project's own did not; a path that ends in `/` is a
 * directory with all that is in it.
 */
export const CaptureReport = z.strictObject({
  patch_bytes: z.int().nonnegative(),
  patch_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  skipped: z.array(
    z.strictObject({
      path: z.string(),
      reason: z.enum([
        'special_file',
        'nested_repository',
        'unreadable',
        'too_large',
        'forbidden_name',
        'newly_ignored',
      ]),
    }),
  ),
});
export type CaptureReport = z.infer<typeof CaptureReport>;

/** What became of the source archive. It never decides anything. */
export const ArchiveReport = z.strictObject({
  status: z.enum(['written', 'too_large', 'timeout', 'failed']),
  bytes: z.int().nonnegative(),
  detail: z.string().nullable(),
});
export type ArchiveReport = z.infer<typeof ArchiveReport>;

/** `work.json`: how the agent phase ended. Times in seconds; `exit_code` is 124 after a time-out, null if the agent never started. */
export const WorkOutcome = z
  .strictObject({
    agent: z.strictObject({
      exit_code: z.int().nullable(),
      duration: z.number().nonnegative(),
      timed_out: z.boolean(),
    }),
    capture: CaptureReport.nullable(),
    archive: ArchiveReport.nullable(),
    fault: Fault.nullable(),
  })
  .meta({ title: 'SSEBench outcome of the agent phase' });
export type WorkOutcome = z.infer<typeof WorkOutcome>;

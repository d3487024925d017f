import { z } from 'zod';

/**
 * `prepared.json`: what image preparation found and did.
 * `script_env` is the case image's `ENV`, the environment that the task's scripts get.
 */
export const PreparedImage = z.strictObject({
  variant: z.enum(['work', 'tool']),
  source: z.string(),
  script_env: z.record(z.string(), z.string()),
  /** The baseline's commit; null in the tool image, which captures nothing. */
  baseline: z.string().nullable(),
  /** How many paths were given another owner or lost set-id or world-write bits. */
  changed_paths: z.int().nonnegative(),
});
export type PreparedImage = z.infer<typeof PreparedImage>;

import { z } from 'zod';

/** Source: spec/host §8.1. A run's ID names its directory and is the value of the `ssebench.run-id` label. */
const RUN_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** 1 to 64 letters, digits, `.`, `_` or `-`, starting with a letter or digit; never `latest`, which is the link beside the runs. */
export const RunId = z
  .string()
  .regex(RUN_ID_PATTERN, 'must be 1 to 64 letters, digits, ".", "_" or "-", starting with a letter or digit')
  .refine((id) => id !== 'latest', 'must not be "latest"');

/**
 * A fresh run ID: the UTC start time and six hex digits, such as `20260929-153012-a1b2c3`.
 * Sorts in the order of the start times.
 * @param random at least three random bytes
 */
export function makeRunId(startedAt: Date, random: Uint8Array): string {
  const stamp = startedAt.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${Buffer.from(random.subarray(0, 3)).toString('hex')}`;
}

import { z } from 'zod';
import { CHECK_NAMES } from './difficulty.ts';

/** How one check ended. `check_timeout`: it hit its own limit, twice when it was confirmed; it counts as failed. */
export const CheckOutcome = z.enum(['passed', 'failed', 'check_timeout']);
export type CheckOutcome = z.infer<typeof CheckOutcome>;

/** One check of a grade. Durations in milliseconds; `log` is a file name in the run directory. */
export const CheckRecord = z.strictObject({
  check: z.enum(CHECK_NAMES),
  /** The proof of concept, as `/project` names it; null for the other checks. */
  poc: z.string().nullable(),
  outcome: CheckOutcome,
  /** The script's exit status; null when it was ended by a signal or never ran (hidden tests that do not apply). */
  exit_code: z.int().nullable(),
  duration_ms: z.int().nonnegative(),
  log: z.string().nullable(),
  /** Set when the check ran a second time, after it hit its limit. */
  confirmed: z.boolean(),
  /** Why the check failed other than by its script's exit status. */
  reason: z.enum(['hidden_tests_do_not_apply']).nullable(),
});
export type CheckRecord = z.infer<typeof CheckRecord>;

/** `checks.json` in the run directory: every check that ran, in order. */
export const ChecksFile = z.array(CheckRecord).meta({ title: 'SSEBench checks of a grade' });

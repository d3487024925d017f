import { z } from 'zod';

/** The four checks that a task may have, in grading order. Source: seeds/grading-pipeline. */
export const CHECK_NAMES = ['build', 'poc', 'function_test', 'intent_test'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** The daemon's `bencher` actions. One each for the checks. */
export const BENCHER_ACTIONS = ['build', 'run_poc', 'function_test', 'intent_test'] as const;
export type BencherAction = (typeof BENCHER_ACTIONS)[number];

/** How much the agent may check its own work. Source: seeds/difficulty-levels. */
export const DIFFICULTY_NAMES = [
  'FULL_ASSISTANCE',
  'NO_INTENT_TEST',
  'NO_FUTURE_TEST',
  'BUILD_ONLY',
  'NO_BUILD',
] as const;
export const DEFAULT_DIFFICULTY = 2;

/** A level, 0 (everything allowed) to 4 (nothing). */
export const Difficulty = z.int().min(0).max(4);
export type Difficulty = z.infer<typeof Difficulty>;

/** The highest level at which an action still runs on the agent-facing listeners. Source: seeds/difficulty-levels, table. */
const HIGHEST_LEVEL: Record<BencherAction, number> = { build: 3, function_test: 2, run_poc: 1, intent_test: 0 };

/** Whether the agent may run `action` at `level`. The admin socket is never gated. */
export function isAllowed(action: BencherAction, level: Difficulty): boolean {
  return level <= HIGHEST_LEVEL[action];
}

/**
 * The level that the environment variable `SSE_DIFFICULTY` names; unset means 2.
 * @throws RangeError for anything but an integer from 0 to 4, an empty string included: a run never goes ahead at another level
 */
export function parseDifficulty(value: string | undefined): Difficulty {
  if (value === undefined) return DEFAULT_DIFFICULTY;
  if (!/^[0-4]$/.test(value)) {
    throw new RangeError(`SSE_DIFFICULTY must be an integer from 0 to 4, got ${JSON.stringify(value)}`);
  }
  return Number(value);
}

import { z } from 'zod';
import { CheckOutcome } from './checks.ts';
import { CHECK_NAMES } from './difficulty.ts';
import { Fault } from './faults.ts';
import { StrictStatus } from './integrity.ts';

const at = z.iso.datetime();

/** Steps of a container's life that the host shows and waits for. */
export const STEPS = ['services', 'agent', 'ending', 'capture', 'archive', 'grading', 'done'] as const;
export type Step = (typeof STEPS)[number];

/** Set: a graded check on the strict tree. */
const strict = z.literal(true).optional();

/** What `GET /events` streams, in order, from the container's start. `at` is UTC. */
export const RunEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('step_started'), at, step: z.enum(STEPS) }),
  z.strictObject({ type: z.literal('step_ended'), at, step: z.enum(STEPS), duration_ms: z.int().nonnegative() }),
  z.strictObject({
    type: z.literal('check_started'),
    at,
    check: z.enum(CHECK_NAMES),
    poc: z.string().nullable(),
    grading: z.boolean(),
    strict,
  }),
  z.strictObject({
    type: z.literal('check_ended'),
    at,
    check: z.enum(CHECK_NAMES),
    poc: z.string().nullable(),
    grading: z.boolean(),
    strict,
    outcome: CheckOutcome,
    duration_ms: z.int().nonnegative(),
    log: z.string().nullable(),
  }),
  z.strictObject({ type: z.literal('captured'), at, patch_bytes: z.int().nonnegative() }),
  /** Published after the strict checks, when there were any or should have been. */
  z.strictObject({ type: z.literal('strict_ended'), at, status: StrictStatus }),
  z.strictObject({ type: z.literal('fault'), at, fault: Fault }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

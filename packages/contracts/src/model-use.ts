import { z } from 'zod';
import { type Fault, fault } from './faults.ts';
import { RecordingState, ReplayState } from './model-calls.ts';

export const GATEWAYS = ['embedded', 'litellm'] as const;
export type GatewayKind = (typeof GATEWAYS)[number];

/** Tokens by kind. They do not overlap, `reasoning` aside, which is part of `output`. */
export const ModelTokens = z.strictObject({
  /** Input that no cache held and none keeps. */
  input: z.int().nonnegative(),
  cache_read: z.int().nonnegative(),
  /** Input written to a cache that keeps it for five minutes, or as long as the provider pleases. */
  cache_write_5m: z.int().nonnegative(),
  cache_write_1h: z.int().nonnegative(),
  output: z.int().nonnegative(),
  reasoning: z.int().nonnegative(),
});

/** Something that a request asked for and did not get. */
export const ModelRefusal = z.strictObject({
  protocol: z.string().nullable(),
  /** What kind of thing: `field`, `tool`, `content`, `route`, … */
  code: z.string(),
  /** The field, as a path into the request, or the route. */
  field: z.string(),
  /** What stood there, shortened. */
  found: z.string(),
  count: z.int().positive(),
});

/** What a run used of its model, by the gateway's books. US dollars. */
export const ModelUse = z.strictObject({
  gateway: z.enum(GATEWAYS),
  budget: z.number().nonnegative(),
  spend: z.number().nonnegative(),
  /** What may have been spent beyond that: calls whose end nobody told. Counts against the budget, never as spend. */
  uncertain: z.number().nonnegative(),
  /** Null where the gateway keeps no count. */
  calls: z.int().nonnegative().nullable(),
  answered: z.int().nonnegative().nullable(),
  failed: z.int().nonnegative().nullable(),
  tokens: ModelTokens.nullable(),
  /** What the provider says that it served. */
  served_models: z.array(z.string()),
  fingerprints: z.array(z.string()),
  refusals: z.array(ModelRefusal),
  /** What was allowed in this run that is refused otherwise. */
  allowed: z.array(z.string()),
  /** Calls whose output limit was lowered to what money was left. */
  lowered_outputs: z.int().nonnegative(),
  budget_exhausted: z.boolean(),
  /** The provider's words, when the run's last call failed. */
  last_failure: z.string().nullable(),
  /** Why the gateway's books could not be read: nothing here is known then but the budget, all of which may be spent. */
  unread: z.string().nullable().default(null),
  /** The run's name in the gateway's books; null where they are not ours. */
  gateway_run: z.string().nullable().default(null),
  /** What became of `model-calls.jsonl.zst`; null: the calls were not recorded. */
  recording: RecordingState.nullable().default(null),
  /** In a run that was answered from the recording of another one; nothing was spent. */
  replay: ReplayState.nullable().default(null),
});
export type ModelUse = z.infer<typeof ModelUse>;

/** What a run used whose books can't be read. Never nothing: as an upper bound, all that it was given. */
export function unreadUse(
  { gateway, budget, allowed }: Pick<ModelUse, 'gateway' | 'budget' | 'allowed'>,
  why: string,
): ModelUse {
  return {
    gateway,
    budget,
    spend: 0,
    uncertain: budget,
    calls: null,
    answered: null,
    failed: null,
    tokens: null,
    served_models: [],
    fingerprints: [],
    refusals: [],
    allowed,
    lowered_outputs: 0,
    budget_exhausted: false,
    last_failure: null,
    unread: why,
    gateway_run: null,
    recording: null,
    replay: null,
  };
}

/**
 * Why a run does not count although its patch may have been graded: its model never answered, or failed in the end.
 * A budget that ran out is no fault: what the agent left by then is what it could do for the money.
 * @param exitCode the agent's; null when it never ran
 */
export function modelFault(use: ModelUse, exitCode: number | null): Fault | null {
  const { calls, answered, spend, budget_exhausted, last_failure } = use;
  if (use.unread !== null) return null;
  const nothing = answered === null ? spend === 0 : answered === 0;
  const tried = (calls ?? 0) > 0 || (exitCode !== null && exitCode !== 0);
  if (nothing && tried && !budget_exhausted) {
    const why = last_failure === null ? '' : `: ${last_failure}`;
    return fault('model_unanswered', `the agent exited with status ${exitCode} and the model answered no call${why}`);
  }
  if (last_failure === null || budget_exhausted) return null;
  return fault('model_failed', `the model's provider failed in the end: ${last_failure}`);
}

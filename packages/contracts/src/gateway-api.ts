import { z } from 'zod';
import { ModelRefusal, ModelTokens } from './model-use.ts';

/** What the model gateway's admin socket answers: JSON over HTTP, for the host command alone. Money: decimal dollars, as text. */
const Usd = z.string().regex(/^-?\d+(?:\.\d+)?$/);

const Refused = ModelRefusal.extend({ run_id: z.string(), last_at: z.iso.datetime() });
export type Refused = z.infer<typeof Refused>;

/** `GET /runs/{id}`, and `DELETE` of it, which closes the run. */
export const GatewayRun = z.strictObject({
  run_id: z.string(),
  model: z.string(),
  /** Its key is worth nothing any more. */
  revoked: z.boolean(),
  budget_usd: Usd,
  spent_usd: Usd,
  /** Of calls that are under way. */
  reserved_usd: Usd,
  uncertain_usd: Usd,
  calls: z.int(),
  answered: z.int(),
  failed: z.int(),
  /** Calls whose output limit was lowered. */
  lowered: z.int(),
  last_call: z.strictObject({ ok: z.boolean(), status: z.int(), words: z.string() }).nullable(),
  budget_exhausted: z.boolean(),
  tokens: ModelTokens,
  served_models: z.array(z.string()),
  fingerprints: z.array(z.string()),
  refusals: z.array(Refused),
});
export type GatewayRun = z.infer<typeof GatewayRun>;

/** `POST /runs`: 201. */
export const GatewayKey = z.strictObject({ key: z.string().min(1), base_url: z.url() });

/** `GET /status`. */
export const GatewayStatus = z.strictObject({
  version: z.string(),
  /** What the process was started from: a command from other sources ends it when it has no run. */
  build: z.string(),
  pid: z.int(),
  base_url: z.url(),
  models: z.array(z.string()),
  /** What is wrong with the models' files. */
  problems: z.array(z.string()),
  runs: z.array(GatewayRun),
  /** Under way. */
  calls: z.int(),
  /** Over all runs, latest first. */
  refusals: z.array(Refused),
});
export type GatewayStatus = z.infer<typeof GatewayStatus>;

export const GatewayProblem = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

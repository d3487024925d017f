import { z } from 'zod';
import { RecordingState, ReplayState } from './model-calls.ts';
import { MODEL_SWITCHES } from './model-switches.ts';
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
  /** Where its clients come; null: only over the loopback. */
  socket: z.string().nullable().default(null),
  /** Null where it is not recorded, and in `GET /status`. */
  recording: RecordingState.nullable().default(null),
  /** Null where it is none, and in `GET /status`. */
  replay: ReplayState.nullable().default(null),
});
export type GatewayRun = z.infer<typeof GatewayRun>;

/** A call in the gateway's books. */
const BookedCall = z.strictObject({
  /** As in the run's recording. */
  call_id: z.string(),
  /** `open`: under way. `settled`: over. `released`: not served, and not counted. `lost`: nobody told its end. */
  state: z.enum(['open', 'settled', 'released', 'lost']),
  started_at: z.iso.datetime(),
  /** As the provider said it; null: it did not. */
  served_model: z.string().nullable(),
  /** Of the provider's answer; 0: none came; null: the call is not over. */
  status: z.int().nullable(),
  /** Why the answer is not whole, or not there. */
  words: z.string().nullable(),
  cost_usd: Usd,
  uncertain_usd: Usd,
  tokens: ModelTokens,
  first_byte_ms: z.number().nullable(),
  total_ms: z.number().nullable(),
});
export type BookedCall = z.infer<typeof BookedCall>;

/** `GET /runs/{id}/calls`: in the order in which they began. */
export const GatewayCalls = z.strictObject({ run_id: z.string(), model: z.string(), calls: z.array(BookedCall) });
export type GatewayCalls = z.infer<typeof GatewayCalls>;

/** What a run's key may still spend, for whoever holds it; what is reserved by calls on their way is not in it. US dollars. */
export const LeftToSpend = z.object({ budget_usd: Usd, spent_usd: Usd, left_usd: Usd });
export type LeftToSpend = z.infer<typeof LeftToSpend>;

/** `POST /runs`: 201. */
export const GatewayKey = z.strictObject({ key: z.string().min(1), base_url: z.url() });

/**
 * A run whose calls are passed on to a gateway that is not ours: `GET /forwards/{run_id}`; `DELETE` of it, which closes it;
 * `PUT /forwards/{run_id}/spend`.
 */
export const GatewayForward = z.strictObject({
  run_id: z.string(),
  model: z.string(),
  base_url: z.url(),
  /** Nothing passes any more. */
  closed: z.boolean(),
  calls: z.int(),
  answered: z.int(),
  failed: z.int(),
  last_call: z.strictObject({ ok: z.boolean(), status: z.int(), words: z.string() }).nullable(),
  /** When the latest call ended; what it cost is booked later. */
  last_end: z.iso.datetime().nullable(),
  budget_exhausted: z.boolean(),
  /** As the other gateway's books had it when its user was removed; null before. */
  spent_usd: Usd.nullable(),
  refusals: z.array(Refused),
  /** Null where it is not recorded, and before it was closed. */
  recording: RecordingState.nullable().default(null),
});
export type GatewayForward = z.infer<typeof GatewayForward>;

/** `POST /forwards`. */
export const NewForward = z.strictObject({
  run_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  model: z.string().min(1),
  /** Of the other gateway; requests' paths are appended. */
  base_url: z.url({ protocol: /^https?$/ }),
  /** SHA-256, hex, of the run's key there: calls with another one do not pass. */
  key_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Unix socket of the run's clients. */
  socket: z.string().min(1).max(107),
  allow: z.array(z.enum(MODEL_SWITCHES)),
  allow_fields: z.array(z.string().min(1).max(200)),
  /** Absolute path of the file that its exchanges are recorded in. */
  record: z.string().max(4096).startsWith('/').nullable().default(null),
});
export type NewForward = z.infer<typeof NewForward>;

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
  /** An older process tells none. */
  forwards: z.array(GatewayForward).default([]),
  /** Under way. */
  calls: z.int(),
  /** Over all runs, latest first. */
  refusals: z.array(Refused),
});
export type GatewayStatus = z.infer<typeof GatewayStatus>;

export const GatewayProblem = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

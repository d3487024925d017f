import { z } from 'zod';

/** A run's recording, in its directory: JSON lines in frames of Zstandard. */
export const MODEL_CALLS_FILE = 'model-calls.jsonl.zst';

/** Bytes of a body: text where they are UTF-8. Keys of the run and of the provider are replaced. */
const RecordedBytes = z.union([z.strictObject({ text: z.string() }), z.strictObject({ base64: z.base64() })]);
export type RecordedBytes = z.infer<typeof RecordedBytes>;

/** The first thing in which a request of a replay is not the recorded one. */
export const ReplayDifference = z.strictObject({
  /** Number of the recorded exchange that was due; null: there were no more of that protocol and path. */
  exchange: z.int().positive().nullable(),
  protocol: z.string(),
  path: z.string(),
  /** Where in the request's JSON, such as `messages[2].content`; empty: the whole. */
  field: z.string(),
  /** What stood there, shortened. */
  recorded: z.string(),
  found: z.string(),
});
export type ReplayDifference = z.infer<typeof ReplayDifference>;

/** Bytes of a long body, before the line of its exchange. */
const RecordedPart = z.strictObject({
  kind: z.literal('part'),
  exchange: z.int().positive(),
  of: z.enum(['request', 'answer']),
  body: RecordedBytes,
});
export type RecordedPart = z.infer<typeof RecordedPart>;

const Headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** One request of a run and what it was answered, written when it is over. */
const RecordedExchange = z.strictObject({
  kind: z.literal('exchange'),
  /** From 1, in the order in which requests came; one that never ended is missing. */
  exchange: z.int().positive(),
  at: z.iso.datetime(),
  protocol: z.string(),
  /** With the query. */
  path: z.string(),
  request: z.strictObject({
    /** As the client sent them, credentials left out. */
    headers: Headers,
    /** Parts that came before; what stands here follows them. */
    parts: z.int().nonnegative(),
    body: RecordedBytes,
  }),
  answer: z.strictObject({
    status: z.int(),
    headers: Headers,
    parts: z.int().nonnegative(),
    body: RecordedBytes,
    /** `broken`: the gateway cut it off. `client_gone`: the client did not wait for its end. */
    end: z.enum(['whole', 'broken', 'client_gone']),
  }),
  /** Milliseconds from the request's last byte; null: there was no answer. */
  first_byte_ms: z.number().nonnegative().nullable(),
  total_ms: z.number().nonnegative(),
  /** Of the call in the gateway's books; null: it cost nothing. */
  call_id: z.string().nullable(),
  /** In a replay: the recorded exchange that was the answer, or why there was none. */
  replay: z.strictObject({ of: z.int().positive().nullable(), difference: ReplayDifference.nullable() }).nullable(),
});
export type RecordedExchange = z.infer<typeof RecordedExchange>;

/** A line of a recording. */
export const RecordedLine = z.discriminatedUnion('kind', [RecordedPart, RecordedExchange]);
export type RecordedLine = z.infer<typeof RecordedLine>;

/** What became of a run's recording. */
export const RecordingState = z.strictObject({
  /** Exchanges that are in it. */
  exchanges: z.int().nonnegative(),
  /** Of the file. */
  bytes: z.int().nonnegative(),
  /** Exchanges that could not be written, as far as that is known. */
  lost: z.int().nonnegative(),
  /** Why. */
  problem: z.string().nullable(),
});
export type RecordingState = z.infer<typeof RecordingState>;

/** How far a replay came. */
export const ReplayState = z.strictObject({
  /** Exchanges of the recording. */
  of: z.int().nonnegative(),
  /** Those that were an answer again. */
  served: z.int().nonnegative(),
  /** Null: every request was the recorded one. */
  first_difference: ReplayDifference.nullable(),
});
export type ReplayState = z.infer<typeof ReplayState>;

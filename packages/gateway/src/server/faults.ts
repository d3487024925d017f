import type { RequestRefused } from '../protocols/allow.ts';
import type { WireError } from '../protocols/protocol.ts';
import { usdText } from './money.ts';
import type { NanoUsd, ProtocolName } from './ports.ts';

const BUSY = {
  concurrency: 'as many calls as this run may make at one time are under way',
  reserved: "calls under way hold the rest of this run's budget",
  bodies: "the requests under way are as large together as a run's may be",
} as const;

/** Everything that a client is told by the gateway itself. One place makes the sentences. */
export const faults = {
  unauthorized: (): WireError => ({
    kind: 'unauthorized',
    status: 401,
    message: 'the key is not one of a run that is under way',
  }),

  wrongModel: (asked: string, allowed: string): WireError => ({
    kind: 'wrong_model',
    status: 403,
    message: `model ${JSON.stringify(asked)}: this key is for ${JSON.stringify(allowed)} alone`,
    field: 'model',
  }),

  notServed: (model: string, problem: string): WireError => ({
    kind: 'wrong_model',
    status: 403,
    message: `model ${JSON.stringify(model)} can't be called: ${problem}`,
    field: 'model',
  }),

  noRoute: (method: string, path: string): WireError => ({
    kind: 'not_found',
    status: 404,
    message: `${method} ${path.slice(0, 200)} is not a route of the gateway`,
  }),

  refused: ({ code, path, field, found }: RequestRefused): WireError => {
    const plain = code === 'field' || code === 'kind' || code === 'value';
    const setting = code === 'field' ? field : `${field}=${found}`;
    const allow = plain ? `allow_fields: ${setting}` : `allow: ${code}`;
    return {
      kind: 'refused',
      status: 400,
      message: `${path} (${found}) is not allowed in this run; the setting that allows it is "${allow}"`,
      field: path,
    };
  },

  untranslatable: (path: string, found: string, protocol: ProtocolName): WireError => ({
    kind: 'refused',
    status: 400,
    message: `${path} (${found}) can't be said in ${protocol}, which is what this model's provider speaks`,
    field: path,
  }),

  noCount: (model: string): WireError => ({
    kind: 'not_found',
    status: 404,
    message: `the provider of ${JSON.stringify(model)} counts no tokens before a call`,
  }),

  encoded: (encoding: string): WireError => ({
    kind: 'refused',
    status: 400,
    message: `content-encoding ${JSON.stringify(encoding.slice(0, 40))}: send the body without one`,
    field: 'content-encoding',
  }),

  malformed: (why: string, field?: string): WireError => ({ kind: 'malformed', status: 400, message: why, field }),

  /** Why a body was not read. Undefined: its client went away, and nobody is to be told. */
  body(failed: 'too_large' | 'no_room' | 'aborted', limit: number): WireError | undefined {
    if (failed === 'aborted') return undefined;
    if (failed === 'no_room') return faults.busy('bodies');
    return { kind: 'too_large', status: 413, message: `the body is larger than ${limit} bytes` };
  },

  /**
   * 400, because it is the one status that no agent tries again: OpenAI's own for a spent budget (429) is retried by its
   * SDK, and 402 by Codex. The first words are those by which Claude Code knows a spent budget.
   */
  budget: (budget: NanoUsd, left: NanoUsd): WireError => ({
    kind: 'budget',
    status: 400,
    message: `Your credit balance is too low: of this run's budget of ${usdText(budget)} USD ${usdText(left)} are left, which is less than this call can cost`,
  }),

  busy: (why: keyof typeof BUSY): WireError => ({ kind: 'busy', status: 429, message: BUSY[why] }),

  provider: (words: string): WireError => ({ kind: 'provider', status: 502, message: words }),

  internal: (): WireError => ({ kind: 'internal', status: 500, message: 'the gateway failed; its log has more' }),
} as const;

/** The text without a provider's key. */
export function redact(text: string, key: string): string {
  return key.length < 4 ? text : text.replaceAll(key, '[redacted]');
}

/** What a provider said in an error's body, for a sentence of ours. */
export function providerWords(body: Buffer): string {
  const text = body.toString('utf8').trim();
  try {
    const said = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown } | null;
    const error = said?.error;
    const message = typeof error === 'string' ? error : (error?.message ?? said?.message);
    if (typeof message === 'string') return message.slice(0, 1000);
  } catch {
    return text.slice(0, 1000);
  }
  return text.slice(0, 1000);
}

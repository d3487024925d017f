import type { Usage } from '../server/ports.ts';
import {
  count,
  decodeSegment,
  type ErrorKind,
  type ListedModel,
  part,
  type Route,
  type WireError,
} from './protocol.ts';

/** The path without `/v1`, which a client's base URL has or has not. */
export function underV1(path: string): string {
  return path.startsWith('/v1/') ? path.slice(3) : path;
}

/** `GET /v1/models` and `GET /v1/models/ID`. */
export function openaiRoute(method: string, path: string): Route | undefined {
  if (method !== 'GET') return undefined;
  const match = /^\/models(?:\/([^/]+))?$/.exec(underV1(path));
  if (match === null) return undefined;
  return {
    operation: 'models',
    model: match[1] && decodeSegment(match[1]),
    upstreamPath: '',
  };
}

/** `protocols` is ours: what an agent can speak with the model without a translation. */
export function openaiModels(route: Route, { name, provider, protocols }: ListedModel): string {
  const entry = { id: name, object: 'model', created: 0, owned_by: provider, protocols };
  return JSON.stringify(route.model === undefined ? { object: 'list', data: [entry] } : entry);
}

const CODES: Readonly<Record<ErrorKind, readonly [type: string, code: string | null]>> = {
  unauthorized: ['invalid_request_error', 'invalid_api_key'],
  wrong_model: ['invalid_request_error', 'model_not_allowed'],
  not_found: ['invalid_request_error', 'unknown_url'],
  refused: ['invalid_request_error', 'unsupported_parameter'],
  malformed: ['invalid_request_error', null],
  too_large: ['invalid_request_error', 'request_too_large'],
  budget: ['insufficient_quota', 'insufficient_quota'],
  busy: ['rate_limit_error', 'rate_limit_exceeded'],
  provider: ['server_error', 'server_error'],
  internal: ['server_error', 'server_error'],
};

/** OpenAI's error object. */
export function openaiError({ kind, message, field }: WireError): {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
} {
  const [type, code] = CODES[kind];
  return { message, type, param: field ?? null, code };
}

/** What OpenAI's two APIs call the counts of a usage. */
interface UsageNames {
  readonly input: string;
  readonly inputDetails: string;
  readonly output: string;
  readonly outputDetails: string;
}

export const CHAT_USAGE: UsageNames = {
  input: 'prompt_tokens',
  inputDetails: 'prompt_tokens_details',
  output: 'completion_tokens',
  outputDetails: 'completion_tokens_details',
};

export const RESPONSES_USAGE: UsageNames = {
  input: 'input_tokens',
  inputDetails: 'input_tokens_details',
  output: 'output_tokens',
  outputDetails: 'output_tokens_details',
};

/** OpenAI's usage: its input holds the cached part. */
export function openaiUsage(said: Record<string, unknown>, names: UsageNames): Usage {
  const details = part(said, names.inputDetails);
  const cacheRead = count(part(details, 'cached_tokens'));
  const cacheWrite5m = count(part(details, 'cache_write_tokens'));
  const tokens = count(said[names.output]);
  return {
    input: Math.max(0, count(said[names.input]) - cacheRead - cacheWrite5m),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: tokens,
    reasoning: Math.min(tokens, count(part(part(said, names.outputDetails), 'reasoning_tokens'))),
  };
}

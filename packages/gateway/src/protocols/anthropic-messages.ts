import { insertMember, replaceValue } from '../json/edit.ts';
import type { JsonView } from '../json/view.ts';
import type { Usage } from '../server/ports.ts';
import { Check } from './allow.ts';
import { ANTHROPIC_REQUEST } from './anthropic-allowed.ts';
import { count, type ErrorKind, type ListedModel, nameModel, type Protocol, part, type Route } from './protocol.ts';

const ROUTES: ReadonlyMap<string, Route> = new Map([
  ['POST /v1/messages', { operation: 'answer', upstreamPath: '/v1/messages' }],
  ['POST /v1/messages/count_tokens', { operation: 'count', upstreamPath: '/v1/messages/count_tokens' }],
]);

const ERROR_TYPES: Readonly<Record<ErrorKind, string>> = {
  unauthorized: 'authentication_error',
  wrong_model: 'permission_error',
  not_found: 'not_found_error',
  refused: 'invalid_request_error',
  malformed: 'invalid_request_error',
  too_large: 'request_too_large',
  budget: 'billing_error',
  busy: 'rate_limit_error',
  provider: 'api_error',
  internal: 'api_error',
};

/** Anthropic's Messages API. Source: platform.claude.com/docs/en/api/messages, the SDK's types, `anthropic-version: 2023-06-01`. */
export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',

  route: (method, path) => ROUTES.get(`${method} ${path}`),

  inspect(view, _route, allowance) {
    const check = new Check(view, allowance);
    ANTHROPIC_REQUEST(check, 0);
    const thinking = view.number(view.member(view.member(0, 'thinking'), 'budget_tokens')) ?? 0;
    return {
      model: view.string(view.member(0, 'model')),
      stream: view.isTrue(view.member(0, 'stream')),
      outputLimit: view.number(view.member(0, 'max_tokens')),
      // The limit has to be above the thinking's share.
      leastOutput: thinking + 1,
      choices: 1,
      size: {
        bytes: view.bytes.length,
        images: check.images,
        documents: check.documents,
        cacheWrites: cacheWrites(view),
      },
    };
  },

  edits(view, route, { model, outputLimit }) {
    const edits = nameModel(view, model);
    if (outputLimit !== undefined && route.operation === 'answer') {
      const limit = view.member(0, 'max_tokens');
      const text = String(outputLimit);
      edits.push(limit < 0 ? insertMember(view, 0, 'max_tokens', text) : replaceValue(view, limit, text));
    }
    return edits;
  },

  addsUsageChunk: () => false,
  isUsageChunk: () => false,
  credentials: (key) => ({ 'x-api-key': key }),
  paths: ['type', 'model', 'usage', 'message.model', 'message.usage', 'error.message'],
  finalAtEnd: false,

  read(found, seen) {
    const type = found.string('type');
    if (type === 'message_stop') seen.ended = true;
    seen.model = found.string('model') ?? found.string('message.model') ?? seen.model;
    seen.error = found.string('error.message') ?? seen.error;
    const usage = found.object('usage') ?? found.object('message.usage');
    if (usage === undefined) return;
    seen.usage = usageOf(usage, seen.usage);
    if (type === 'message_delta') seen.final = true;
  },

  errorBody: ({ kind, message }) => JSON.stringify({ type: 'error', error: { type: ERROR_TYPES[kind], message } }),

  errorEvent: ({ kind, message }) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: ERROR_TYPES[kind], message } })}\n\n`,

  models: (route, model) => modelList(route, model),
};

/** A caching mark can only stand where its name does, plainly or behind an escape. */
function cacheWrites({ bytes }: JsonView): 'none' | '5m' | '1h' {
  if (bytes.includes('\\u')) return '1h';
  if (!bytes.includes('cache_control')) return 'none';
  return bytes.includes('"1h"') ? '1h' : '5m';
}

/** What a usage object says, over what an earlier one of the same answer said. */
function usageOf(said: Record<string, unknown>, before: Usage | undefined): Usage {
  const steps = said['iterations'];
  // Steps that are no plain messages (compaction) are billed but not in the sums at the top.
  if (Array.isArray(steps) && steps.some((step) => part(step, 'type') !== 'message')) {
    return steps.map((step) => one(step, undefined)).reduce(plus);
  }
  return one(said, before);
}

function one(said: unknown, before: Usage | undefined): Usage {
  const told = (value: unknown, otherwise: number) => (typeof value === 'number' ? count(value) : otherwise);
  const writes = part(said, 'cache_creation');
  const all = part(said, 'cache_creation_input_tokens');
  const written1h = told(part(writes, 'ephemeral_1h_input_tokens'), before?.cacheWrite1h ?? 0);
  const written = told(all, (before?.cacheWrite5m ?? 0) + (before?.cacheWrite1h ?? 0));
  return {
    input: told(part(said, 'input_tokens'), before?.input ?? 0),
    cacheRead: told(part(said, 'cache_read_input_tokens'), before?.cacheRead ?? 0),
    cacheWrite5m: Math.max(0, written - written1h),
    cacheWrite1h: written1h,
    output: told(part(said, 'output_tokens'), before?.output ?? 0),
    reasoning: told(part(part(said, 'output_tokens_details'), 'thinking_tokens'), before?.reasoning ?? 0),
  };
}

function plus(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}

function modelList(route: Route, { name, maxInputTokens, maxOutputTokens }: ListedModel): string {
  const limits = { max_input_tokens: maxInputTokens, max_tokens: maxOutputTokens };
  const entry = { type: 'model', id: name, display_name: name, created_at: '1970-01-01T00:00:00Z', ...limits };
  return JSON.stringify(
    route.model === undefined ? { data: [entry], has_more: false, first_id: name, last_id: name } : entry,
  );
}

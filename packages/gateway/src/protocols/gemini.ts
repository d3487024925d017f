import { insertMember, replaceValue } from '../json/edit.ts';
import type { JsonView } from '../json/view.ts';
import type { Usage } from '../server/ports.ts';
import { Check } from './allow.ts';
import { GEMINI_COUNT_REQUEST, GEMINI_REQUEST } from './gemini-allowed.ts';
import { count, decodeSegment, type ErrorKind, type ListedModel, type Protocol, type Route } from './protocol.ts';

const STATUSES: Readonly<Record<ErrorKind, string>> = {
  unauthorized: 'UNAUTHENTICATED',
  wrong_model: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  refused: 'INVALID_ARGUMENT',
  malformed: 'INVALID_ARGUMENT',
  too_large: 'INVALID_ARGUMENT',
  budget: 'FAILED_PRECONDITION',
  busy: 'RESOURCE_EXHAUSTED',
  provider: 'UNAVAILABLE',
  internal: 'INTERNAL',
};

const METHODS: ReadonlyMap<string, Pick<Route, 'operation' | 'stream'>> = new Map([
  ['generateContent', { operation: 'answer', stream: false }],
  ['streamGenerateContent', { operation: 'answer', stream: true }],
  ['countTokens', { operation: 'count', stream: false }],
]);

/** The first of two spellings of a member that is there: the API takes both. */
function either(view: JsonView, name: string, other: string): number {
  return Math.max(view.member(0, name), view.member(0, other));
}

const CONFIG = ['generationConfig', 'generation_config'] as const;

function limitNode(view: JsonView): number {
  const config = either(view, ...CONFIG);
  return Math.max(view.member(config, 'maxOutputTokens'), view.member(config, 'max_output_tokens'));
}

/** Google's Gemini API. Source: ai.google.dev/api/generate-content, the SDK's types. */
export const gemini: Protocol = {
  name: 'gemini',

  route(method, path) {
    const match = /^\/(v1|v1beta|v1alpha)\/models(?:\/([^/:]+)(?::(\w+))?)?$/.exec(path);
    if (match === null) return undefined;
    const [, version, model, action] = match;
    if (method === 'GET' && action === undefined) {
      return version === 'v1' ? undefined : { operation: 'models', model, upstreamPath: '' };
    }
    const what = METHODS.get(action ?? '');
    if (method !== 'POST' || what === undefined || model === undefined) return undefined;
    return { ...what, model: decodeSegment(model), upstreamPath: `/${version}/models/{model}:${action}` };
  },

  inspect(view, route, allowance) {
    const check = new Check(view, allowance);
    (route.operation === 'count' ? GEMINI_COUNT_REQUEST : GEMINI_REQUEST)(check, 0);
    const config = either(view, ...CONFIG);
    const choices = Math.max(view.member(config, 'candidateCount'), view.member(config, 'candidate_count'));
    return {
      model: route.model,
      stream: route.stream ?? false,
      outputLimit: view.number(limitNode(view)),
      leastOutput: 1,
      choices: view.number(choices) ?? 1,
      size: { bytes: view.bytes.length, images: check.images, documents: check.documents, cacheWrites: 'none' },
    };
  },

  edits(view, route, { outputLimit }) {
    if (outputLimit === undefined || route.operation !== 'answer') return [];
    const text = String(outputLimit);
    const limit = limitNode(view);
    if (limit >= 0) return [replaceValue(view, limit, text)];
    const config = either(view, ...CONFIG);
    if (config < 0) return [insertMember(view, 0, 'generationConfig', `{"maxOutputTokens":${text}}`)];
    if (view.kind(config) !== 'object') return [replaceValue(view, config, `{"maxOutputTokens":${text}}`)];
    return [insertMember(view, config, 'maxOutputTokens', text)];
  },

  addsUsageChunk: () => false,
  isUsageChunk: () => false,
  credentials: (key) => ({ 'x-goog-api-key': key }),
  paths: ['usageMetadata', 'modelVersion', 'error.message'],
  finalAtEnd: true,

  read(found, seen) {
    seen.model = found.string('modelVersion') ?? seen.model;
    seen.error = found.string('error.message') ?? seen.error;
    const usage = found.object('usageMetadata');
    if (usage !== undefined) seen.usage = usageOf(usage);
  },

  errorBody: ({ kind, status, message }) =>
    JSON.stringify({ error: { code: status, message, status: STATUSES[kind] } }),
  errorEvent: ({ kind, status, message }) =>
    `data: ${JSON.stringify({ error: { code: status, message, status: STATUSES[kind] } })}\n\n`,
  models: (route, model) => modelList(route, model),
};

function usageOf(said: Record<string, unknown>): Usage {
  const cacheRead = count(said['cachedContentTokenCount']);
  const reasoning = count(said['thoughtsTokenCount']);
  return {
    input: Math.max(0, count(said['promptTokenCount']) + count(said['toolUsePromptTokenCount']) - cacheRead),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count(said['candidatesTokenCount']) + reasoning,
    reasoning,
  };
}

function modelList(route: Route, { name, maxInputTokens, maxOutputTokens }: ListedModel): string {
  const limits = { inputTokenLimit: maxInputTokens, outputTokenLimit: maxOutputTokens };
  const methods = [...METHODS.keys()];
  const entry = { name: `models/${name}`, displayName: name, ...limits, supportedGenerationMethods: methods };
  return JSON.stringify(route.model === undefined ? { models: [entry] } : entry);
}

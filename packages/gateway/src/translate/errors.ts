import { providerWords } from '../server/faults.ts';
import type { ProtocolName } from '../server/ports.ts';
import type { ProviderError, ProviderErrorKind } from './conversation.ts';
import { jsonText } from './json-text.ts';

/** By the word that a provider has for it: a code of OpenAI's, a type of Anthropic's. */
const WORDS: Readonly<Record<string, ProviderErrorKind>> = {
  context_length_exceeded: 'context',
  insufficient_quota: 'quota',
  billing_error: 'quota',
  rate_limit_exceeded: 'rate',
  rate_limit_error: 'rate',
  invalid_api_key: 'unauthorized',
  authentication_error: 'unauthorized',
  permission_error: 'denied',
  not_found_error: 'not_found',
  model_not_found: 'not_found',
  request_too_large: 'too_large',
  overloaded_error: 'overloaded',
  server_is_overloaded: 'overloaded',
  invalid_request_error: 'request',
  invalid_prompt: 'request',
  api_error: 'server',
  server_error: 'server',
};

const STATUSES: Readonly<Record<number, ProviderErrorKind>> = {
  400: 'request',
  401: 'unauthorized',
  402: 'quota',
  403: 'denied',
  404: 'not_found',
  413: 'too_large',
  422: 'request',
  429: 'rate',
  503: 'overloaded',
  529: 'overloaded',
};

const ANTHROPIC: Readonly<Record<ProviderErrorKind, string>> = {
  context: 'invalid_request_error',
  request: 'invalid_request_error',
  unauthorized: 'authentication_error',
  denied: 'permission_error',
  not_found: 'not_found_error',
  too_large: 'request_too_large',
  quota: 'billing_error',
  rate: 'rate_limit_error',
  overloaded: 'overloaded_error',
  server: 'api_error',
};

const OPENAI: Readonly<Record<ProviderErrorKind, readonly [type: string, code: string | null]>> = {
  context: ['invalid_request_error', 'context_length_exceeded'],
  request: ['invalid_request_error', null],
  unauthorized: ['invalid_request_error', 'invalid_api_key'],
  denied: ['invalid_request_error', 'permission_denied'],
  not_found: ['invalid_request_error', 'model_not_found'],
  too_large: ['invalid_request_error', 'request_too_large'],
  quota: ['insufficient_quota', 'insufficient_quota'],
  rate: ['rate_limit_error', 'rate_limit_exceeded'],
  overloaded: ['server_error', 'server_is_overloaded'],
  server: ['server_error', 'server_error'],
};

/** Agents shorten their context when they are told so in the words of the protocol that they speak. */
const TOO_LONG = /prompt is too long|context (length|window|size)|maximum (context|prompt) length|input is too long/i;

/** An error by what its object says. @param said `{type, code, message}` in any of the protocols */
export function errorFrom(said: unknown, status?: number): ProviderError {
  const { type, code, message } = (typeof said === 'object' && said !== null ? said : {}) as Record<string, unknown>;
  const words = typeof message === 'string' && message !== '' ? message : 'the provider gave no reason';
  const byWord = [code, type].map((word) => WORDS[String(word)]).find((kind) => kind !== undefined);
  const kind = byWord === 'request' || byWord === undefined ? (STATUSES[status ?? 0] ?? byWord ?? 'server') : byWord;
  return { kind: kind === 'request' && TOO_LONG.test(words) ? 'context' : kind, message: words };
}

/** The error that an HTTP answer is, whatever its body. */
export function errorFromBody(status: number, body: Buffer): ProviderError {
  let said: unknown;
  try {
    said = (JSON.parse(body.toString('utf8')) as { error?: unknown } | null)?.error;
  } catch {
    said = undefined;
  }
  const fields = typeof said === 'object' && said !== null ? said : {};
  return errorFrom({ ...fields, message: providerWords(body) }, status);
}

/** The message by which an agent that speaks the protocol knows what is wrong. */
function anthropicMessage({ kind, message }: ProviderError): string {
  return kind === 'context' && !message.startsWith('prompt is too long') ? `prompt is too long: ${message}` : message;
}

export function anthropicErrorText(error: ProviderError): string {
  return jsonText({ type: 'error', error: { type: ANTHROPIC[error.kind], message: anthropicMessage(error) } });
}

export function openaiErrorObject({ kind, message }: ProviderError) {
  const [type, code] = OPENAI[kind];
  return { message, type, param: null, code };
}

/** The body of an HTTP error. */
export function errorBody(error: ProviderError, client: ProtocolName): string {
  return client === 'anthropic-messages' ? anthropicErrorText(error) : jsonText({ error: openaiErrorObject(error) });
}

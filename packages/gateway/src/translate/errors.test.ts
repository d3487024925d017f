import { expect, test } from 'vitest';
import { errorBody, errorFromBody } from './errors.ts';

const anthropic = (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message } });
const openai = (code: string | null, message: string) =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } });

test.each([
  [400, openai('context_length_exceeded', 'too many'), 'invalid_request_error', 'prompt is too long: too many'],
  [
    400,
    openai(null, "This model's maximum context length is 8192 tokens"),
    'invalid_request_error',
    'prompt is too long: T',
  ],
  [400, openai(null, 'temperature: bad'), 'invalid_request_error', 'temperature: bad'],
  [429, openai('insufficient_quota', 'pay'), 'billing_error', 'pay'],
  [429, openai('rate_limit_exceeded', 'slow'), 'rate_limit_error', 'slow'],
  [404, openai('model_not_found', 'none'), 'not_found_error', 'none'],
  [413, 'plain words', 'request_too_large', 'plain words'],
])('%i of OpenAI, %s, is told to a client of Anthropic as %s', (status, body, type, message) => {
  const told = JSON.parse(errorBody(errorFromBody(status, Buffer.from(body)), 'anthropic-messages'));
  expect(told).toMatchObject({ type: 'error', error: { type } });
  expect(told.error.message).toContain(message);
});

test.each([
  [400, anthropic('invalid_request_error', 'prompt is too long: 9 > 8'), 'context_length_exceeded'],
  [400, anthropic('invalid_request_error', 'messages: bad'), null],
  [429, anthropic('rate_limit_error', 'slow'), 'rate_limit_exceeded'],
  [529, anthropic('overloaded_error', 'busy'), 'server_is_overloaded'],
  [403, anthropic('permission_error', 'no'), 'permission_denied'],
])('%i of Anthropic, %s, is told to a client of OpenAI as %s', (status, body, code) => {
  for (const client of ['openai-chat', 'openai-responses'] as const) {
    const told = JSON.parse(errorBody(errorFromBody(status, Buffer.from(body)), client));
    expect(told.error).toMatchObject({ code, message: JSON.parse(body).error.message });
  }
});

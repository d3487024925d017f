import { expect, test } from 'vitest';
import { whole } from '../testing/provider-stub.ts';
import { anthropic, chat, gemini, responses } from '../testing/samples.ts';
import { RUN_ID, TestGateway } from '../testing/test-gateway.ts';

const ALL = [anthropic, chat, responses, gemini];
const errorOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).error;

test('a wrong, missing or revoked key is 401 in the protocol\u2019s shape', async () => {
  await using gateway = await TestGateway.start();
  const shapes = [
    { type: 'authentication_error' },
    { code: 'invalid_api_key' },
    { code: 'invalid_api_key' },
    { status: 'UNAUTHENTICATED' },
  ];
  for (const [index, { path, request }] of ALL.entries()) {
    for (const key of ['', 'wrong']) {
      const answer = await gateway.post(path, request, { 'x-api-key': key });
      expect(answer.status).toBe(401);
      expect(errorOf(answer)).toMatchObject(shapes[index] ?? {});
    }
  }
  gateway.ledger.revoke(RUN_ID);
  expect((await gateway.post(anthropic.path, anthropic.request)).status).toBe(401);
  expect(gateway.provider.received).toEqual([]);
});

test('another model is 403', async () => {
  await using gateway = await TestGateway.start();
  for (const { path, request } of ALL) {
    const answer = await gateway.post(
      path.replace('the-model', 'other'),
      'model' in request ? { ...request, model: 'other' } : request,
    );
    expect(answer.status).toBe(403);
    expect(errorOf(answer).message).toContain('"other"');
  }
});

test.each([
  '',
  '{',
  '{"model":"the-model"',
  '[]',
  '"x"',
  '{"model":"the-model","model":"the-model"}',
  '\u{feff}{}',
  '{"model":1}',
])('the malformed body %j is 400 in every protocol\u2019s shape', async (body) => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole('{}'));
  for (const { path } of ALL.slice(0, body === '{"model":1}' ? 3 : 4)) {
    const answer = await gateway.post(path, body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toMatch(/JSON|model/);
  }
  expect(gateway.provider.received).toEqual([]);
});

test('a member of a Gemini request in both of its spellings is malformed', async () => {
  await using gateway = await TestGateway.start();
  for (const twice of [{ generation_config: {} }, { generationConfig: { maxOutputTokens: 1, max_output_tokens: 9 } }]) {
    expect((await gateway.post(gemini.path, { ...gemini.request, ...twice })).status).toBe(400);
  }
});

test.each([-1, 1.5, 1e300])('the output limit %d is malformed', async (limit) => {
  await using gateway = await TestGateway.start();
  expect((await gateway.post(anthropic.path, { ...anthropic.request, max_tokens: limit })).status).toBe(400);
});

test('a body that is too large is 413, announced or not', async () => {
  await using gateway = await TestGateway.start({ limits: { bodyBytes: 1000 } });
  gateway.provider.answers(whole(anthropic.answer));
  const body = JSON.stringify({ ...anthropic.request, system: 'x'.repeat(2000) });
  const answer = await gateway.post(anthropic.path, body);
  expect(answer.status).toBe(413);
  expect(errorOf(answer).type).toBe('request_too_large');
  const chunked = await gateway.post(anthropic.path, body, { 'transfer-encoding': 'chunked' });
  expect(chunked.status).toBe(413);
  expect((await gateway.post(anthropic.path, anthropic.request)).status).toBe(200);
});

test('a body in an encoding is refused: it could not be looked at', async () => {
  await using gateway = await TestGateway.start();
  const answer = await gateway.post(responses.path, responses.request, { 'content-encoding': 'zstd' });
  expect(answer.status).toBe(400);
  expect(errorOf(answer)).toMatchObject({ param: 'content-encoding' });
});

test('a model without a price is never called', async () => {
  await using gateway = await TestGateway.start({ model: { prices: undefined } });
  const answer = await gateway.post(chat.path, chat.request);
  expect(answer.status).toBe(403);
  expect(errorOf(answer).message).toContain('no price');
});

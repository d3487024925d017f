import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stream, whole } from '../testing/provider-stub.ts';
import { anthropic, chat, gemini, responses, SAMPLE_COST } from '../testing/samples.ts';
import { PROVIDER_KEY, TestGateway } from '../testing/test-gateway.ts';

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

const PROTOCOLS = [
  ['anthropic-messages', anthropic, anthropic.path, { stream: true }],
  ['openai-chat', chat, chat.path, { stream: true, stream_options: { include_usage: true } }],
  ['openai-responses', responses, responses.path, { stream: true }],
  ['gemini', gemini, gemini.streamPath, {}],
] as const;

describe.each(PROTOCOLS)('%s', (_name, sample, streamPath, streaming) => {
  test('a request that needs no edit and its answer arrive as they were sent, and are settled to the cent', async () => {
    await using gateway = await TestGateway.start();
    gateway.provider.answers(whole(sample.answer, 200, { 'x-request-id': 'r1' }));
    const body = JSON.stringify(sample.request, null, '\t');
    const answer = await gateway.post(sample.path, body);
    expect(answer.status).toBe(200);
    expect(sha256(gateway.provider.last.body)).toBe(sha256(body));
    expect(sha256(answer.body)).toBe(sha256(sample.answer));
    expect(answer.headers['x-request-id']).toBe('r1');
    expect(gateway.provider.last.path).toBe(
      sample.path.replace('/v1/chat', '/chat').replace('/v1/responses', '/responses'),
    );
    expect(gateway.spend()).toMatchObject({
      settled: SAMPLE_COST,
      reserved: 0n,
      uncertain: 0n,
      calls: 1,
      servedModels: ['served-model'],
    });
    expect(gateway.spend().usage).toMatchObject({ input: 60, cacheRead: 40, output: 20 });
  });

  test('a stream arrives as it was sent, however its bytes are cut', async () => {
    await using gateway = await TestGateway.start();
    const bytes = Buffer.from(sample.events.join(''));
    const cut = (size: number) =>
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
    const body = { ...sample.request, ...streaming };
    gateway.provider.answers(stream(...sample.events), stream(bytes), stream(...cut(7)));
    for (let call = 1; call <= 3; call++) {
      const answer = await gateway.post(streamPath, body);
      expect(sha256(answer.body)).toBe(sha256(bytes));
      expect(gateway.spend()).toMatchObject({ settled: SAMPLE_COST * BigInt(call), uncertain: 0n });
    }
    expect(sha256(gateway.provider.last.body)).toBe(sha256(JSON.stringify(body)));
  });
});

test('the key of the provider goes to the provider, and neither the run\u2019s key nor who pays reaches it', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole(chat.answer));
  await gateway.post('/v1/chat/completions', chat.request, {
    'x-api-key': '',
    authorization: `Bearer ${gateway.key}`,
    'openai-organization': 'org-other',
    'anthropic-beta': 'some-beta',
    cookie: 'c=1',
    'accept-encoding': 'gzip',
  });
  const { headers } = gateway.provider.last;
  expect(headers).toMatchObject({
    authorization: `Bearer ${PROVIDER_KEY}`,
    'anthropic-beta': 'some-beta',
    'accept-encoding': 'identity',
  });
  expect(JSON.stringify(headers)).not.toContain(gateway.key);
  expect(headers).not.toHaveProperty('openai-organization');
  expect(headers).not.toHaveProperty('cookie');
});

test('Gemini\u2019s key may stand in the query, from which it is taken', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole(gemini.answer));
  const answer = await gateway.post(`${gemini.path}?key=${gateway.key}&$alt=json`, gemini.request, { 'x-api-key': '' });
  expect(answer.status).toBe(200);
  expect(gateway.provider.last.path).toBe(`${gemini.path}?$alt=json`);
  expect(gateway.provider.last.headers['x-goog-api-key']).toBe(PROVIDER_KEY);
});

test('the edits of a request: model, missing output limit, usage, nothing stored', async () => {
  await using gateway = await TestGateway.start({ model: { upstreamModel: 'provider-name' } });
  gateway.provider.answers(whole('{}'));
  const sent = async (path: string, body: string) => {
    await gateway.post(path, body);
    return gateway.provider.last.body.toString();
  };
  expect(await sent('/v1/messages', '{ "model": "the-model", "messages": [] }')).toBe(
    '{"max_tokens":1000, "model": "provider-name", "messages": [] }',
  );
  expect(await sent('/chat/completions', '{"model":"the-model","stream":true,"messages":[]}')).toBe(
    '{"max_completion_tokens":1000,"stream_options":{"include_usage":true},"store":false,"model":"provider-name","stream":true,"messages":[]}',
  );
  expect(await sent('/v1/responses', '{"model":"the-model","input":"x"}')).toBe(
    '{"max_output_tokens":1000,"store":false,"model":"provider-name","input":"x"}',
  );
  expect(await sent('/v1beta/models/the-model:generateContent', '{"contents":[],"generation_config":{"topK":1}}')).toBe(
    '{"contents":[],"generation_config":{"maxOutputTokens":1000,"topK":1}}',
  );
  expect(gateway.provider.last.path).toBe('/v1beta/models/provider-name:generateContent');
});

test('the usage chunk that the client did not ask for is kept from it, and nothing else', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(stream(chat.events.join('')));
  const answer = await gateway.post(chat.path, { ...chat.request, stream: true });
  expect(answer.body.toString()).toBe([chat.events[0], chat.events[1], chat.events[3]].join(''));
  expect(gateway.spend().settled).toBe(SAMPLE_COST);
});

test('counting tokens costs nothing, and asks the provider', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole('{"input_tokens":3}'));
  const { max_tokens: _, ...request } = anthropic.request;
  const answer = await gateway.post('/v1/messages/count_tokens', request);
  expect(answer.body.toString()).toBe('{"input_tokens":3}');
  expect(gateway.provider.last.body.toString()).toBe(JSON.stringify(request));
  expect(gateway.spend()).toMatchObject({ calls: 0, settled: 0n });
});

test('the list of models is the run\u2019s model, in the shape that the client speaks', async () => {
  await using gateway = await TestGateway.start();
  const get = async (path: string, headers = {}) =>
    JSON.parse((await gateway.send('GET', path, '', headers)).body.toString());
  expect(await get('/v1/models')).toMatchObject({ object: 'list', data: [{ id: 'the-model', object: 'model' }] });
  expect(await get('/v1/models/the-model')).toMatchObject({ id: 'the-model', object: 'model' });
  expect(await get('/v1/models', { 'anthropic-version': '2023-06-01' })).toMatchObject({
    data: [{ type: 'model', id: 'the-model' }],
  });
  expect(await get('/v1beta/models')).toMatchObject({ models: [{ name: 'models/the-model' }] });
  expect((await gateway.send('GET', '/v1/models/other')).status).toBe(403);
});

test('a model tells its limits where its protocol has words for them', async () => {
  await using gateway = await TestGateway.start({ model: { maxInputTokens: 128_000, maxOutputTokens: 8_000 } });
  const get = async (path: string, headers = {}) =>
    JSON.parse((await gateway.send('GET', path, '', headers)).body.toString());
  expect(await get('/v1/models/the-model', { 'anthropic-version': '2023-06-01' })).toMatchObject({
    max_input_tokens: 128_000,
    max_tokens: 8_000,
  });
  expect(await get('/v1/models/the-model')).toMatchObject({ protocols: expect.arrayContaining(['openai-chat']) });
  expect(await get('/v1beta/models/the-model')).toMatchObject({ inputTokenLimit: 128_000, outputTokenLimit: 8_000 });
});

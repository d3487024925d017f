import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { expect, test, vi } from 'vitest';
import { brokenStream, stream, whole } from '../testing/provider-stub.ts';
import { anthropic, chat, responses, SAMPLE_COST } from '../testing/samples.ts';
import { PROVIDER_KEY, TestGateway, type TestOptions } from '../testing/test-gateway.ts';

/** Models that each speak one protocol, and an answer of theirs whose usage is the samples'. */
const PROVIDERS = {
  anthropic: {
    model: { provider: 'anthropic', protocols: ['anthropic-messages'] },
    sample: anthropic,
    path: '/v1/messages',
  },
  compatible: {
    model: { provider: 'compatible', protocols: ['openai-chat'] },
    sample: chat,
    path: '/chat/completions',
  },
  openai: { model: { provider: 'openai', protocols: ['openai-responses'] }, sample: responses, path: '/responses' },
} as const satisfies Record<string, { model: TestOptions['model']; sample: object; path: string }>;

const CLIENTS = { anthropic, chat, responses } as const;

const WAYS = [
  ['anthropic', 'compatible'],
  ['anthropic', 'openai'],
  ['chat', 'anthropic'],
  ['chat', 'openai'],
  ['responses', 'anthropic'],
  ['responses', 'compatible'],
] as const;

test.each(WAYS)('a client of %s gets the answer of a model of %s, and its spend is exact', async (client, name) => {
  const { model, sample, path } = PROVIDERS[name];
  await using gateway = await TestGateway.start({ model });
  gateway.provider.answers(whole(sample.answer));
  const { status, headers, body } = await gateway.post(CLIENTS[client].path, CLIENTS[client].request);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  expect(JSON.parse(body.toString())).toMatchObject({ model: 'served-model' });
  expect(gateway.provider.last.path).toBe(path);
  expect(gateway.spend()).toMatchObject({ settled: SAMPLE_COST, uncertain: 0n, calls: 1, answered: 1, failed: 0 });
  expect(gateway.spend().servedModels).toEqual(['served-model']);
});

test.each(WAYS)('a client of %s gets the stream of a model of %s, and its spend is exact', async (client, name) => {
  const { model, sample } = PROVIDERS[name];
  await using gateway = await TestGateway.start({ model });
  gateway.provider.answers(stream(...sample.events));
  const request = { ...CLIENTS[client].request, stream: true };
  const { status, headers, body } = await gateway.post(CLIENTS[client].path, request);
  expect(status).toBe(200);
  expect(headers['content-type']).toContain('text/event-stream');
  expect(body.toString()).toContain('hi');
  const last = { anthropic: '"message_stop"', chat: '[DONE]', responses: '"response.completed"' }[client];
  expect(body.toString().trim().split('\n').at(-1)).toContain(last);
  expect(gateway.spend()).toMatchObject({ settled: SAMPLE_COST, uncertain: 0n, answered: 1, failed: 0 });
});

test('the provider gets its own headers, and none of the client\u2019s protocol', async () => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model });
  gateway.provider.answers(whole(chat.answer));
  const beta = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'x', 'user-agent': 'claude-cli/9' };
  await gateway.post(anthropic.path, anthropic.request, beta);
  const { headers } = gateway.provider.last;
  expect(headers).toMatchObject({ authorization: `Bearer ${PROVIDER_KEY}`, 'user-agent': 'claude-cli/9' });
  expect(Object.keys(headers).filter((name) => name.startsWith('anthropic') || name === 'x-api-key')).toEqual([]);

  await using other = await TestGateway.start({ model: PROVIDERS.anthropic.model });
  other.provider.answers(whole(anthropic.answer));
  await other.post(chat.path, chat.request);
  expect(other.provider.last.headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'x-api-key': PROVIDER_KEY });
});

test('the client\u2019s allow-list comes first, and what can\u2019t be translated is refused by its field; both are recorded', async () => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model });
  const search = { ...anthropic.request, tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
  expect((await gateway.post(anthropic.path, search)).body.toString()).toContain('tools[0].type');
  const bash = { ...anthropic.request, tools: [{ type: 'bash_20250124', name: 'bash' }] };
  const { status, body } = await gateway.post(anthropic.path, bash);
  expect(status).toBe(400);
  expect(JSON.parse(body.toString())).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  expect(body.toString()).toMatch(/tools\[0\]\.type .*bash_20250124.*openai-chat/);
  expect(gateway.provider.received).toHaveLength(0);
  expect(gateway.spend().refusals.map(({ code, field }) => [code, field])).toEqual(
    expect.arrayContaining([
      ['web_search', 'tools[].type'],
      ['untranslatable', 'tools[].type'],
    ]),
  );
});

test('a setting that one of the provider\u2019s protocols can\u2019t say goes by the other', async () => {
  const model = { provider: 'openai', protocols: ['openai-chat', 'openai-responses'] } as const;
  await using gateway = await TestGateway.start({ model });
  gateway.provider.answers(whole(chat.answer));
  await gateway.post(anthropic.path, { ...anthropic.request, stop_sequences: ['X'] });
  expect(gateway.provider.last.path).toBe('/chat/completions');
  gateway.provider.answers(whole(responses.answer));
  await gateway.post(anthropic.path, anthropic.request);
  expect(gateway.provider.last.path).toBe('/responses');
});

test('the budget lowers the output limit of the translated request', async () => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model, budget: 10_000_000n });
  gateway.provider.answers(whole(chat.answer));
  await gateway.post(anthropic.path, { ...anthropic.request, max_tokens: 30_000 });
  const { max_tokens } = JSON.parse(gateway.provider.last.body.toString());
  expect(max_tokens).toBeGreaterThan(500);
  expect(max_tokens).toBeLessThan(5000);
  expect(gateway.spend()).toMatchObject({ lowered: 1, settled: SAMPLE_COST });
});

test('the provider\u2019s refusal of a request comes in the client\u2019s shape, in words by which its agent knows it', async () => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model });
  const error = { message: `too long ${PROVIDER_KEY}`, type: 'invalid_request_error', code: 'context_length_exceeded' };
  gateway.provider.answers(whole(JSON.stringify({ error }), 400));
  const { status, body } = await gateway.post(anthropic.path, anthropic.request);
  expect(status).toBe(400);
  expect(JSON.parse(body.toString())).toEqual({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: too long [redacted]' },
  });
  expect(gateway.spend()).toMatchObject({ settled: 0n, uncertain: 0n });
});

test.each([
  ['is cut', brokenStream(...chat.events.slice(0, 1))],
  ['ends before its answer does', stream(...chat.events.slice(0, 1))],
])('a stream that %s ends with the client\u2019s own error event', async (_what, script) => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model });
  gateway.provider.answers(script);
  const { body, broken } = await gateway.post(anthropic.path, { ...anthropic.request, stream: true });
  expect(broken).toBe(false);
  expect(body.toString()).toContain('"text":"hi"');
  expect(body.toString().trim().split('\n').at(-1)).toMatch(/^data: \{"type":"error","error":\{"type":"api_error"/);
  expect(gateway.spend()).toMatchObject({ failed: 1, settled: 0n });
  expect(gateway.spend().uncertain).toBeGreaterThan(0n);
});

test('an answer that is none is an error of the provider\u2019s', async () => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model });
  gateway.provider.answers(whole('{"object":"list"}'));
  const { status, body } = await gateway.post(anthropic.path, anthropic.request);
  expect(status).toBe(502);
  expect(JSON.parse(body.toString())).toMatchObject({ type: 'error', error: { type: 'api_error' } });
});

test('tokens can\u2019t be counted by another protocol: agents then estimate them', async () => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model });
  const { status } = await gateway.post('/v1/messages/count_tokens', anthropic.request);
  expect(status).toBe(404);
});

test('a client that reads slowly slows the provider down: nothing piles up', async () => {
  await using gateway = await TestGateway.start({ model: PROVIDERS.compatible.model });
  const text = 'x'.repeat(60_000);
  const piece = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;
  let sent = 0;
  gateway.provider.answers(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    while (sent < 600 && !response.destroyed) {
      sent++;
      if (!response.write(piece)) await once(response, 'drain');
    }
    response.end(chat.events.slice(1).join(''));
  });
  const options = { port: gateway.port, method: 'POST', path: anthropic.path, headers: { 'x-api-key': gateway.key } };
  const client = httpRequest(options);
  client.end(JSON.stringify({ ...anthropic.request, stream: true }));
  const [response] = await once(client, 'response');
  response.pause();
  let stopped = -1;
  const standsStill = () => {
    const before = stopped;
    stopped = sent;
    expect(sent).toBe(before);
  };
  await vi.waitFor(standsStill, { interval: 300, timeout: 10_000 });
  expect(stopped).toBeLessThan(500);
  let got = 0;
  for await (const chunk of response) got += chunk.length;
  expect(got).toBeGreaterThan(600 * text.length);
  await expect.poll(() => gateway.spend()).toMatchObject({ settled: SAMPLE_COST, failed: 0 });
});

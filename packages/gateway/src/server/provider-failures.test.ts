import { expect, test } from 'vitest';
import { brokenStream, ProviderStub, type Script, stream, whole } from '../testing/provider-stub.ts';
import { anthropic, chat, gemini, responses, SAMPLE_COST } from '../testing/samples.ts';
import { PROVIDER_KEY, TestGateway } from '../testing/test-gateway.ts';

const errorOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).error;
const overloaded = (status: number, headers = {}) => whole('{"error":{"message":"try later"}}', status, headers);

test.each([429, 500, 503, 529])(
  '%d is tried again before the first byte, and the answer is that of the last attempt',
  async (status) => {
    await using gateway = await TestGateway.start();
    gateway.provider.answers(overloaded(status), overloaded(status), whole(chat.answer));
    const answer = await gateway.post(chat.path, chat.request);
    expect(answer.status).toBe(200);
    expect(gateway.provider.received).toHaveLength(3);
    expect(gateway.spend()).toMatchObject({ settled: SAMPLE_COST, uncertain: 0n, calls: 1, failed: 0 });
  },
);

test('a provider that stays down is 502 with its words, in the protocol\u2019s shape, and costs nothing', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(overloaded(503));
  for (const { path, request } of [anthropic, chat, responses, gemini]) {
    const answer = await gateway.post(path, request);
    expect(answer.status).toBe(502);
    expect(errorOf(answer).message).toContain('503: try later');
  }
  expect(gateway.provider.received).toHaveLength(12);
  expect(gateway.spend()).toMatchObject({
    settled: 0n,
    uncertain: 0n,
    reserved: 0n,
    failed: 4,
    lastCall: { ok: false, status: 503 },
  });
});

test('429 to the end stays 429, with what the provider said of when to come back', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(overloaded(429, { 'retry-after': '3600' }));
  const answer = await gateway.post(chat.path, chat.request);
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '3600']);
  expect(gateway.provider.received).toHaveLength(1);
});

test('an error about the request passes through as it came, and is not tried again', async () => {
  await using gateway = await TestGateway.start();
  const body = '{ "type":"error","error":{"type":"invalid_request_error","message":"max_tokens: too many"}}';
  gateway.provider.answers(whole(body, 400));
  const answer = await gateway.post(anthropic.path, anthropic.request);
  expect([answer.status, answer.body.toString()]).toEqual([400, body]);
  expect(gateway.provider.received).toHaveLength(1);
  expect(gateway.spend()).toMatchObject({ settled: 0n, uncertain: 0n, failed: 1 });
});

test('the provider\u2019s key is in nothing that the client or the ledger gets', async () => {
  await using gateway = await TestGateway.start();
  const says = JSON.stringify({ error: { message: `Incorrect API key provided: ${PROVIDER_KEY}` } });
  gateway.provider.answers(whole(says, 401), whole(says, 403), whole(says, 500));
  const statuses: number[] = [];
  for (let call = 0; call < 3; call++) {
    const answer = await gateway.post(chat.path, chat.request);
    statuses.push(answer.status);
    expect(answer.body.toString()).toContain('[redacted]');
    expect(answer.body.toString()).not.toContain(PROVIDER_KEY);
    expect(gateway.spend().lastCall?.words).toContain('[redacted]');
  }
  expect(statuses).toEqual([502, 403, 502]);
  expect(gateway.log).toEqual([]);
});

test('redirects are not followed', async () => {
  await using elsewhere = await ProviderStub.start();
  await using gateway = await TestGateway.start();
  gateway.provider.answers((response) => {
    response.writeHead(307, { location: elsewhere.url }).end();
  });
  const answer = await gateway.post(chat.path, chat.request);
  expect(answer.status).toBe(502);
  expect(errorOf(answer).message).toContain('redirect');
  expect(elsewhere.received).toEqual([]);
});

test('a provider that can\u2019t be reached is 502, says why, and costs nothing', async () => {
  await using gateway = await TestGateway.start({ model: { baseUrl: 'http://127.0.0.1:9' } });
  const answer = await gateway.post(chat.path, chat.request);
  expect(answer.status).toBe(502);
  expect(errorOf(answer).message).toContain('ECONNREFUSED');
  expect(gateway.spend()).toMatchObject({ uncertain: 0n, settled: 0n, failed: 1 });
});

test('a request that was sent and never answered may have been billed: it is not tried again, and counts as uncertain', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers((response) => {
    response.destroy();
  });
  const answer = await gateway.post(chat.path, chat.request);
  expect(answer.status).toBe(502);
  expect(gateway.provider.received).toHaveLength(1);
  const { settled, uncertain } = gateway.spend();
  expect(settled).toBe(0n);
  expect(uncertain).toBeGreaterThan(1000n * 2000n);
});

const BROKEN = [
  [
    'anthropic-messages',
    anthropic,
    anthropic.path,
    /^event: error\ndata: \{"type":"error","error":\{"type":"api_error","message":"the provider broke off.+\}\}\n\n$/,
  ],
  ['openai-chat', chat, chat.path, /^data: \{"error":\{"message":"the provider broke off.+\}\}\n\n$/],
  [
    'openai-responses',
    responses,
    responses.path,
    /^event: error\ndata: \{"type":"error","sequence_number":1,"code":"server_error".+\}\n\n$/,
  ],
  ['gemini', gemini, gemini.streamPath, /^data: \{"error":\{"code":502,"message":"the provider broke off.+\}\}\n\n$/],
] as const;

test.each(BROKEN)(
  'a stream of %s that breaks off ends with the protocol\u2019s error event, after whole events only',
  async (_n, sample, path, event) => {
    await using gateway = await TestGateway.start();
    const first = sample.events[0];
    gateway.provider.answers(brokenStream(first, (sample.events[1] ?? '').slice(0, 25)));
    const answer = await gateway.post(path, {
      ...sample.request,
      ...(path === gemini.streamPath ? {} : { stream: true }),
    });
    const text = answer.body.toString();
    expect(text.startsWith(first)).toBe(true);
    expect(text.slice(first.length)).toMatch(event);
    expect(answer.broken).toBe(false);
    const { uncertain, reserved, failed } = gateway.spend();
    expect([reserved, failed]).toEqual([0n, 1]);
    expect(uncertain).toBeGreaterThan(0n);
  },
);

test.each(BROKEN.filter(([name]) => name === 'anthropic-messages' || name === 'openai-responses'))(
  'a stream of %s that is closed before its last event ends with the error event too',
  async (_name, sample, path) => {
    await using gateway = await TestGateway.start();
    gateway.provider.answers(stream(sample.events[0]));
    const answer = await gateway.post(path, { ...sample.request, stream: true });
    expect(answer.body.toString()).toMatch(
      /^event: \S+\ndata: .+\n\nevent: error\ndata: .+the stream ended early.+\n\n$/,
    );
    expect(gateway.spend().failed).toBe(1);
  },
);

test('usage that was told before the break is spent, the rest of what was reserved is uncertain', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(brokenStream(anthropic.events[0]));
  await gateway.post(anthropic.path, { ...anthropic.request, stream: true });
  expect(gateway.spend()).toMatchObject({ settled: 60n * 1000n + 40n * 100n + 2000n });
  expect(gateway.spend().uncertain).toBeGreaterThan(900n * 2000n);
});

test('an answer in one piece that breaks off breaks off for the client too', async () => {
  await using gateway = await TestGateway.start();
  const half: Script = async (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    await new Promise((resolve) => response.write('{"a":', resolve));
    response.destroy();
  };
  gateway.provider.answers(half);
  const ended = gateway.post(chat.path, chat.request).catch((error: NodeJS.ErrnoException) => error.code);
  expect(await ended).toSatisfy((end) => end === 'ECONNRESET' || end.broken === true);
  expect(gateway.spend().failed).toBe(1);
});

test('an error that the provider tells in a stream passes through and is known', async () => {
  await using gateway = await TestGateway.start();
  const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  gateway.provider.answers(stream(anthropic.events[0], error));
  const answer = await gateway.post(anthropic.path, { ...anthropic.request, stream: true });
  expect(answer.body.toString()).toBe(anthropic.events[0] + error);
  expect(gateway.spend()).toMatchObject({ failed: 1, lastCall: { words: 'the provider said: Overloaded' } });
});

test('a provider that tells senseless numbers of tokens takes nothing from the other runs', async () => {
  await using gateway = await TestGateway.start();
  const other = gateway.addRun({});
  gateway.provider.answers((response, received) => {
    const tokens = received.headers['x-many'] ? '1e300' : '3';
    return whole(`{"usage":{"prompt_tokens":${tokens},"completion_tokens":${tokens}}}`)(response, received);
  });
  const answers = await Promise.all([
    gateway.post(chat.path, chat.request, { 'x-api-key': other, 'x-many': 'yes' }),
    gateway.post(chat.path, chat.request),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(gateway.spend()).toMatchObject({ settled: 9000n, reserved: 0n });
  const spent = gateway.ledger.spend('run-2');
  expect(spent).toMatchObject({ reserved: 0n, answered: 1 });
  expect(spent?.settled).toBeGreaterThan(spent?.budget ?? 0n);
});

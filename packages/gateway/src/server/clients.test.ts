import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type Script, stream, whole } from '../testing/provider-stub.ts';
import { anthropic, chat, responses, SAMPLE_COST } from '../testing/samples.ts';
import { RUN_ID, TestGateway } from '../testing/test-gateway.ts';

const errorOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()).error;
const settledAll = (gateway: TestGateway) =>
  vi.waitFor(() => expect(gateway.spend().reserved).toBe(0n), { timeout: 5000 });

/** Begins an answer, and goes on when told; tells when the gateway closed the connection. */
function held(begin: readonly string[], rest: readonly string[]) {
  const go = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const script: Script = async (response) => {
    response.on('close', () => closed.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(begin.join(''));
    begun.resolve();
    await Promise.race([go.promise, closed.promise]);
    response.end(rest.join(''));
  };
  return { script, go: () => go.resolve(), begun: begun.promise, closed: closed.promise };
}

describe('a client that goes away', () => {
  test('in the middle of a stream ends the provider\u2019s call too, and is settled', async () => {
    await using gateway = await TestGateway.start();
    const { script, begun, closed } = held([anthropic.events[0]], []);
    gateway.provider.answers(script);
    const controller = new AbortController();
    const body = JSON.stringify({ ...anthropic.request, stream: true });
    const call = gateway.send('POST', anthropic.path, body, {}, controller.signal).catch(() => 'gone');
    await begun;
    await delay(20);
    controller.abort();
    await Promise.all([call, closed]);
    await settledAll(gateway);
    expect(gateway.spend()).toMatchObject({
      settled: 60n * 1000n + 40n * 100n + 2000n,
      lastCall: { words: 'the client went away' },
    });
    expect(gateway.spend().uncertain).toBeGreaterThan(0n);
  });

  test('after the usage was told has spent that, and nothing is uncertain', async () => {
    await using gateway = await TestGateway.start();
    const { script, begun, closed } = held(responses.events, []);
    gateway.provider.answers(script);
    const controller = new AbortController();
    const body = JSON.stringify({ ...responses.request, stream: true });
    const call = gateway.send('POST', responses.path, body, {}, controller.signal).catch(() => 'gone');
    await begun;
    await delay(20);
    controller.abort();
    await Promise.all([call, closed]);
    await settledAll(gateway);
    expect(gateway.spend()).toMatchObject({ settled: SAMPLE_COST, uncertain: 0n });
  });

  test('while attempts are still made costs nothing', async () => {
    await using gateway = await TestGateway.start({
      limits: { retry: { attempts: 5, firstDelayMs: 10_000, longestDelayMs: 10_000 } },
    });
    gateway.provider.answers(whole('{}', 503));
    const call = gateway
      .send('POST', chat.path, JSON.stringify(chat.request), {}, AbortSignal.timeout(300))
      .catch(() => 'gone');
    expect(await call).toBe('gone');
    await settledAll(gateway);
    expect(gateway.spend()).toMatchObject({ settled: 0n, uncertain: 0n });
  });

  test('while the provider fails leaves it a failure of the provider', async () => {
    await using gateway = await TestGateway.start({
      limits: { retry: { attempts: 5, firstDelayMs: 10_000, longestDelayMs: 10_000 } },
    });
    const failed = Promise.withResolvers<void>();
    gateway.provider.answers(async (response, received) => {
      await whole('{"error":"overloaded"}', 529)(response, received);
      failed.resolve();
    });
    const controller = new AbortController();
    const call = gateway.send('POST', chat.path, JSON.stringify(chat.request), {}, controller.signal);
    await failed.promise;
    await delay(50);
    controller.abort();
    await expect(call).rejects.toThrow();
    await settledAll(gateway);
    expect(gateway.spend()).toMatchObject({ failed: 1, lastCall: { ok: false, status: 529, words: 'overloaded' } });
  });
});

describe('a budget', () => {
  test('that is spent is an error that no agent tries again, in the protocol\u2019s shape', async () => {
    await using gateway = await TestGateway.start({ budget: 1000n });
    for (const [sample, shape] of [
      [anthropic, { type: 'billing_error' }],
      [chat, { code: 'insufficient_quota' }],
      [responses, { code: 'insufficient_quota' }],
    ] as const) {
      const answer = await gateway.post(sample.path, sample.request);
      expect([answer.status, answer.headers['x-should-retry']]).toEqual([400, 'false']);
      expect(errorOf(answer)).toMatchObject(shape);
      expect(errorOf(answer).message).toContain('Your credit balance is too low');
    }
    expect(gateway.provider.received).toEqual([]);
    expect(gateway.spend().budgetExhausted).toBe(true);
  });

  test('that does not reach for the output limit lowers it, and the run says so', async () => {
    await using gateway = await TestGateway.start({ budget: 6_000_000n });
    gateway.provider.answers(whole(chat.answer));
    const answer = await gateway.post(chat.path, { ...chat.request, max_completion_tokens: 100_000 });
    expect(answer.status).toBe(200);
    const limit = JSON.parse(gateway.provider.last.body.toString()).max_completion_tokens;
    expect(limit).toBeGreaterThan(0);
    expect(limit).toBeLessThan(1000);
    expect(gateway.spend()).toMatchObject({ lowered: 1, settled: SAMPLE_COST });
  });

  test('is never exceeded by calls in parallel: those that find the money taken wait for what comes back', async () => {
    await using gateway = await TestGateway.start({ budget: 20_000_000n, limits: { waitMs: 10_000 } });
    gateway.provider.answers(whole(chat.answer));
    const answers = await Promise.all(Array.from({ length: 30 }, () => gateway.post(chat.path, chat.request)));
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(gateway.spend()).toMatchObject({ settled: SAMPLE_COST * 30n, reserved: 0n, uncertain: 0n });
  });
});

test('calls over the run\u2019s concurrency wait for their turn, and are told to come back when it does not come', async () => {
  await using gateway = await TestGateway.start({ concurrency: 1, limits: { waitMs: 100 } });
  const { script, go, begun } = held([chat.events[0]], chat.events.slice(1));
  gateway.provider.answers(script, whole(chat.answer));
  const first = gateway.post(chat.path, { ...chat.request, stream: true });
  await begun;
  const late = await gateway.post(chat.path, chat.request);
  expect([late.status, late.headers['retry-after']]).toEqual([429, '2']);
  const second = gateway.post(chat.path, chat.request);
  go();
  expect((await first).status).toBe(200);
  expect((await second).status).toBe(200);
});

test('the end of a run ends its calls, settled, and closes its key', async () => {
  await using gateway = await TestGateway.start();
  const { script, begun, closed } = held([anthropic.events[0]], []);
  gateway.provider.answers(script);
  const call = gateway.post(anthropic.path, { ...anthropic.request, stream: true });
  await begun;
  await delay(20);
  gateway.ledger.revoke(RUN_ID);
  await gateway.gateway.calls.abort(RUN_ID);
  expect(gateway.spend()).toMatchObject({ reserved: 0n, revoked: true });
  expect((await call).body.toString()).toContain('event: error');
  await closed;
  expect((await gateway.post(anthropic.path, anthropic.request)).status).toBe(401);
});

test('50 streams in parallel each get their own bytes', async () => {
  await using gateway = await TestGateway.start();
  const events = (id: string) => [
    `data: {"id":"${id}","choices":[{"delta":{"content":"${id.repeat(50)}"}}]}\n\n`,
    ...chat.events.slice(1),
  ];
  gateway.provider.answers((response, { headers }) =>
    stream(...events(String(headers['x-stream'])))(response, gateway.provider.last),
  );
  const calls = Array.from({ length: 50 }, async (_, index) => {
    const body = { ...chat.request, stream: true, stream_options: { include_usage: true } };
    const answer = await gateway.post(chat.path, body, { 'x-stream': `s${index}` });
    expect(answer.body.toString()).toBe(events(`s${index}`).join(''));
  });
  await Promise.all(calls);
  expect(gateway.spend()).toMatchObject({ settled: SAMPLE_COST * 50n, calls: 50 });
});

test('a client that reads slowly slows the provider down: nothing piles up', async () => {
  await using gateway = await TestGateway.start();
  const piece = `data: ${JSON.stringify({ choices: [], text: 'x'.repeat(60_000) })}\n\n`;
  let sent = 0;
  gateway.provider.answers(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    while (sent < 600 && !response.destroyed) {
      sent++;
      if (!response.write(piece)) await once(response, 'drain');
    }
    response.end();
  });
  const client = request({
    port: gateway.port,
    method: 'POST',
    path: chat.path,
    headers: { 'x-api-key': gateway.key },
  });
  client.end(JSON.stringify({ ...chat.request, stream: true }));
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
  expect(got).toBe(600 * piece.length);
});

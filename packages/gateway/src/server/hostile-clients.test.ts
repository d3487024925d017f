import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type Script, whole } from '../testing/provider-stub.ts';
import { anthropic, gemini } from '../testing/samples.ts';
import { RUN_ID, TestGateway } from '../testing/test-gateway.ts';

const BODY = JSON.stringify(anthropic.request);

/** A request as it stands on the wire, its body or the first bytes of it. */
function written({ key }: TestGateway, path: string, body: string, sent = body): string {
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-length: ${length}\r\n\r\n${sent}`;
}

async function connected(where: { port: number } | { path: string }): Promise<Socket> {
  const socket = connect(where);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** All that comes until the connection is closed. */
async function received(socket: Socket): Promise<string> {
  let got = '';
  for await (const chunk of socket) got += String(chunk);
  return got;
}

/** Answers each request when told to. */
function held() {
  const waiting: (() => void)[] = [];
  const script: Script = async (response, got) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await whole(anthropic.answer)(response, got);
  };
  const next = async () => {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    waiting.shift()?.();
  };
  return { script, next, waiting };
}

test('requests sent ahead on one connection are answered in their turn', async () => {
  await using gateway = await TestGateway.start();
  const { script, next, waiting } = held();
  gateway.provider.answers(script);
  const client = await connected({ port: gateway.port });
  const answer = received(client);
  client.write(written(gateway, anthropic.path, BODY).repeat(2));
  await vi.waitFor(() => expect(waiting).toHaveLength(1));
  await delay(50);
  expect(gateway.provider.received).toHaveLength(1);
  await next();
  await next();
  await vi.waitFor(() => expect(gateway.spend()).toMatchObject({ answered: 2, reserved: 0n }));
  client.end();
  expect((await answer).match(/HTTP\/1.1 200/g)).toHaveLength(2);
});

test('what a client sent ahead and did not wait for is not begun', async () => {
  await using gateway = await TestGateway.start();
  const { script, waiting } = held();
  gateway.provider.answers(script);
  const client = await connected({ port: gateway.port });
  client.write(written(gateway, anthropic.path, BODY).repeat(2));
  await vi.waitFor(() => expect(waiting).toHaveLength(1));
  client.destroy();
  await vi.waitFor(() => expect(gateway.gateway.calls.count).toBe(0));
  await delay(50);
  expect(gateway.spend()).toMatchObject({ calls: 1, reserved: 0n });
});

test('a connection on which very many requests are sent ahead is closed', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(held().script);
  const client = await connected({ port: gateway.port });
  client.write(written(gateway, anthropic.path, BODY));
  client.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1000));
  expect(await received(client)).toBe('');
});

test('a run has so many connections and no more; those that wait for nothing make room', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole(anthropic.answer));
  const path = join(gateway.path, 'run.sock');
  await gateway.listeners.openRun(RUN_ID, path);
  const answered = written(gateway, anthropic.path, BODY);
  const idle = await connected({ path });
  const closed = once(idle, 'close');
  idle.write(answered);
  await once(idle, 'data');
  idle.resume();
  const busy = await Promise.all(Array.from({ length: 255 }, () => connected({ path })));
  for (const socket of busy) socket.write(written(gateway, anthropic.path, BODY, '{'));
  const over = await connected({ path });
  await once(over.resume(), 'close');
  await closed;
  const later = await connected({ path });
  later.write(answered);
  expect(String((await once(later, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
  for (const socket of [...busy, later]) socket.destroy();
});

test('bodies of requests under way take so much memory and no more', async () => {
  await using gateway = await TestGateway.start({ roomBytes: 10_000 });
  const { script, next } = held();
  gateway.provider.answers(script);
  const large = JSON.stringify({ ...anthropic.request, system: 'x'.repeat(6000) });
  const unfinished = await connected({ port: gateway.port });
  unfinished.write(written(gateway, anthropic.path, large, large.slice(0, 6000)));
  await delay(50);
  const refused = await gateway.post(anthropic.path, large);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '2']);
  unfinished.destroy();
  for (let call = 0; call < 3; call++) {
    await delay(20);
    const answer = gateway.post(anthropic.path, large);
    await next();
    expect((await answer).status).toBe(200);
  }
});

test('an answer that breaks off because its client takes nothing of it is no failure of the provider', async () => {
  await using gateway = await TestGateway.start({ limits: { stallMs: 100 } });
  const begun = Promise.withResolvers<ServerResponse>();
  gateway.provider.answers((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const piece = `data: {"text":"${'x'.repeat(60_000)}"}\n\n`;
    while (response.write(piece) || response.writableLength < 30_000_000);
    begun.resolve(response);
  });
  const client = await connected({ port: gateway.port });
  const stream = JSON.stringify({ ...anthropic.request, stream: true });
  client.write(written(gateway, anthropic.path, stream));
  await once(client, 'data');
  client.pause();
  const response = await begun.promise;
  let unsent = -1;
  const standsStill = () => {
    const before = unsent;
    unsent = response.writableLength;
    expect(unsent).toBe(before);
  };
  await vi.waitFor(standsStill, { interval: 300, timeout: 10_000 });
  response.destroy();
  client.resume();
  await vi.waitFor(() => expect(gateway.spend()).toMatchObject({ calls: 1, reserved: 0n }));
  expect(gateway.spend()).toMatchObject({ failed: 0, lastCall: { ok: true } });
  client.destroy();
});

test('a key that is revoked while a request comes is worth nothing to it', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole('{"input_tokens":1}'));
  const path = '/v1/messages/count_tokens';
  const client = await connected({ port: gateway.port });
  client.write(written(gateway, path, BODY, BODY.slice(0, 10)));
  await delay(50);
  gateway.ledger.revoke(RUN_ID);
  client.write(BODY.slice(10));
  expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1.1 401/);
  client.destroy();
  expect(gateway.provider.received).toEqual([]);
});

test.each([
  ['?fields=candidates,usageMetadata.promptTokenCount', '?fields'],
  ['?access_token=x', '?access_token'],
  ['?alt=proto', '?alt'],
  ['?alt=sse;fields=candidates', '?alt'],
  ['?%66ields=candidates', '?fields'],
])('the query %s is refused, until a setting allows it', async (query, field) => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole(gemini.answer));
  const refused = await gateway.post(gemini.path + query, gemini.request);
  expect(refused.status).toBe(400);
  expect(refused.body.toString()).toContain(`${field} (`);
  expect(gateway.spend().refusals).toMatchObject([{ field, protocol: 'gemini' }]);
  expect(gateway.provider.received).toEqual([]);
  const allowed = gateway.addRun({ allowFields: [field] });
  expect((await gateway.post(gemini.path + query, gemini.request, { 'x-api-key': allowed })).status).toBe(200);
});

test('headers that tell a provider what to leave out or when to give up do not reach it', async () => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole(gemini.answer));
  await gateway.post(gemini.path, gemini.request, {
    'X-Goog-FieldMask': 'candidates',
    'X-Server-Timeout': '1',
    'x-litellm-timeout': '1',
    'x-goog-api-client': 'sdk',
  });
  const { headers } = gateway.provider.last;
  expect(headers).not.toHaveProperty('x-goog-fieldmask');
  expect(headers).not.toHaveProperty('x-server-timeout');
  expect(headers).not.toHaveProperty('x-litellm-timeout');
  expect(headers).toHaveProperty('x-goog-api-client', 'sdk');
});

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ProviderStub, stream, whole } from '@ssebench/gateway/testing/provider-stub';
import { chat, responses } from '@ssebench/gateway/testing/samples';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayPlace, startGateway, stopGateway } from './gateway-process.ts';
import { liteLlmConfig } from './litellm-config.ts';
import { LiteLlmGateway } from './litellm-gateway.ts';
import { RealLiteLlm } from './testing/real-litellm.ts';

/**
 * The real LiteLLM, with the configuration that `ssebench proxy` makes. Without a database it knows one key, its master key,
 * which stands for a run's key here; users, budgets and spend are tested against a stand-in.
 */
const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
const KEY = 'sk-master-of-a-test';
const PROVIDER_KEY = 'sk-provider-of-a-test';

let folder: ReturnType<typeof mkdtempDisposableSync>;
let place: GatewayPlace;
let socket: string;
let provider: ProviderStub;
let litellm: RealLiteLlm;

beforeAll(async () => {
  folder = mkdtempDisposableSync(join(tmpdir(), 'litellm-'));
  const inside = (name: string) => join(folder.path, name);
  place = { stateDir: inside('state'), modelsDir: inside('models'), envFile: inside('.env') };
  socket = inside('run.sock');
  mkdirSync(place.modelsDir);
  provider = await ProviderStub.start();
  const params = { model: 'openai/served-model', api_base: `${provider.url}/v1`, api_key: PROVIDER_KEY };
  const config = liteLlmConfig([{ model_name: 'the-model', litellm_params: params, model_info: { free: true } }]);
  litellm = await RealLiteLlm.start(config, KEY, folder.path);
  const { admin } = await startGateway(place);
  const forward = { run_id: 'run-1', model: 'the-model', base_url: litellm.url, key_sha256: hash('sha256', KEY) };
  await admin.openForward({ ...forward, socket, allow: [], allow_fields: [] });
}, 20 * 60_000);

afterAll(async () => {
  await stopGateway(place);
  await litellm[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface Got {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** @param by the run's socket, or LiteLLM itself */
async function post(by: 'socket' | 'litellm', path: string, body: object, key = KEY): Promise<Got> {
  const to = by === 'socket' ? { socketPath: socket } : { host: '127.0.0.1', port: new URL(litellm.url).port };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = request({ ...to, method: 'POST', path, headers, agent: false });
  call.end(JSON.stringify(body));
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const asked = { model: 'the-model', messages: [{ role: 'user', content: 'h\u00e9' }] };

test.runIf(everything)(
  'a completion is what LiteLLM itself answers, and it answers what the provider did',
  async () => {
    provider.answers(whole(chat.answer));
    const through = await post('socket', '/v1/chat/completions', asked);
    const direct = await post('litellm', '/v1/chat/completions', asked);
    expect(through.status).toBe(200);
    const timeless = (body: string) => body.replace(/"created":\d+/, '"created":0');
    expect(timeless(through.body)).toBe(timeless(direct.body));
    expect(JSON.parse(through.body)).toMatchObject({
      choices: [{ message: { content: 'hi' } }],
      usage: { total_tokens: 120 },
    });
    expect(through.headers['x-litellm-model-id']).toBe(direct.headers['x-litellm-model-id']);
    expect(provider.last.headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(JSON.parse(String(provider.last.body))).toMatchObject({ model: 'served-model', messages: asked.messages });
  },
);

test.runIf(everything)('a stream passes from the provider to the client', async () => {
  provider.answers(stream(...chat.events));
  const { status, headers, body } = await post('socket', '/v1/chat/completions', { ...asked, stream: true });
  expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/event-stream')]);
  const events = body.split('\n\n').filter((event) => event !== '');
  expect(events.at(-1)).toBe('data: [DONE]');
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, '')));
  expect(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe('hi');
});

test.runIf(everything)('an Anthropic client gets its own protocol', async () => {
  const content = [{ type: 'output_text', text: 'hi', annotations: [] }];
  const output = [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content }];
  // LiteLLM asks OpenAI's servers by their Responses API.
  provider.answers(whole(JSON.stringify({ ...JSON.parse(responses.answer), created_at: 1, output })));
  const { status, body } = await post('socket', '/v1/messages', { ...asked, max_tokens: 100 });
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
  });
});

test.runIf(everything)('what the provider fails with is told, and counted', async () => {
  provider.answers(whole('{"error":{"message":"no credit","type":"insufficient_quota"}}', 400));
  const { status, body } = await post('socket', '/v1/chat/completions', asked);
  expect([status, JSON.parse(body).error.message]).toEqual([400, expect.stringContaining('no credit')]);
  const { admin } = await startGateway(place);
  const [told] = (await admin.status()).forwards;
  expect(told).toMatchObject({ calls: 4, answered: 3, last_call: { ok: false, status: 400 } });
});

test.runIf(everything)('a call after one that failed is made at once', async () => {
  provider.answers(whole('{"error":{"message":"overloaded"}}', 503));
  expect((await post('socket', '/v1/chat/completions', asked)).status).toBe(503);
  provider.answers(whole(chat.answer));
  expect((await post('socket', '/v1/chat/completions', asked)).status).toBe(200);
});

test.runIf(everything)('its models are known by name; without a database there is no key', async () => {
  const gateway = (masterKey: string) =>
    new LiteLlmGateway({ address: { baseUrl: litellm.url, masterKey }, place, leftBehind: () => undefined });
  const run = {
    runId: 'run-2',
    model: 'the-model',
    budget: 1,
    allowed: [],
    socket: `${socket}2`,
    record: null,
    replay: null,
  };
  await expect(gateway(KEY).open(run)).rejects.toThrow(/ has no database, so it keeps no keys and no budgets/);
  await expect(gateway(KEY).open({ ...run, model: 'the-modle' })).rejects.toThrow('did you mean "the-model"?');
  await expect(gateway('sk-wrong').open(run)).rejects.toThrow(/LITELLM_MASTER_KEY|no database/);
});

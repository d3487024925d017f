import { once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { adminOf, stopGateway } from './gateway-process.ts';
import { LiteLlmGateway, type LiteLlmOptions } from './litellm-gateway.ts';
import { LiteLlmStub, type LiteLlmStubOptions, MASTER_KEY } from './testing/litellm-stub.ts';

const folder = mkdtempDisposableSync(join(tmpdir(), 'litellm-'));
const inside = (name: string) => join(folder.path, name);
const place = { stateDir: inside('state'), modelsDir: inside('models'), envFile: inside('.env') };
mkdirSync(place.modelsDir);
afterAll(async () => {
  await stopGateway(place);
  folder[Symbol.dispose]();
});
let runs = 0;

/** A gateway before a stand-in, and one run of it. */
async function setUp(stubOptions: LiteLlmStubOptions = {}, options: Partial<LiteLlmOptions> = {}) {
  const stub = await LiteLlmStub.start(stubOptions);
  onTestFinished(() => stub[Symbol.asyncDispose]());
  const left: string[] = [];
  const gateway = new LiteLlmGateway({
    address: { baseUrl: stub.url, masterKey: MASTER_KEY },
    place,
    booking: 300,
    leftBehind: (line) => left.push(line),
    ...options,
  });
  runs += 1;
  const socket = inside(`${runs}.sock`);
  const run = { runId: `run-${runs}`, model: 'model-one', budget: 1, allowed: [], socket, record: null, replay: null };
  const ask = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const call = request({ socketPath: socket, method: 'POST', path: '/v1/chat/completions', headers, agent: false });
    call.end(JSON.stringify({ model: 'model-one', messages: [{ role: 'user', content: 'h' }] }));
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return [answer.statusCode, JSON.parse(await text(answer))] as const;
  };
  return { stub, gateway, run, ask, left };
}

test('a run has a user and a key of its own, for one model and one budget, and both are gone after it', async () => {
  const { stub, gateway, run, ask } = await setUp();
  const { key } = await gateway.open(run);
  expect(stub.requests.at(-1)).toEqual([
    'POST /user/new',
    {
      user_id: `ssebench-${run.runId}`,
      key_alias: `ssebench-${run.runId}`,
      user_role: 'internal_user_viewer',
      models: ['model-one'],
      max_budget: 1,
      max_parallel_requests: 32,
      duration: '30d',
    },
  ]);
  expect(await ask(key)).toMatchObject([200, { choices: [{ message: { content: 'hi' } }] }]);
  await ask(key);
  expect(await gateway.close(run)).toEqual({
    gateway: 'litellm',
    budget: 1,
    spend: 0.5,
    uncertain: 0,
    calls: 2,
    answered: 2,
    failed: 0,
    tokens: null,
    served_models: [],
    fingerprints: [],
    refusals: [],
    allowed: [],
    lowered_outputs: 0,
    budget_exhausted: false,
    last_failure: null,
    unread: null,
    gateway_run: null,
    recording: null,
    replay: null,
  });
  expect(stub.users.size).toBe(0);
  expect((await adminOf(place).status()).forwards).toEqual([]);
  await expect(ask(key)).rejects.toThrow();
});

test('spend that is booked late is waited for, also when a part of it is booked already', async () => {
  const { gateway, run, ask } = await setUp({ bookingMs: 200 });
  const { key } = await gateway.open(run);
  await ask(key);
  await new Promise((resolve) => setTimeout(resolve, 250));
  await ask(key);
  expect((await gateway.close(run)).spend).toBe(0.5);
});

test('spend that is never booked is waited for only so long', async () => {
  const { gateway, run, ask } = await setUp({ bookingMs: Number.POSITIVE_INFINITY }, { booking: 100 });
  await ask((await gateway.open(run)).key);
  const began = performance.now();
  expect(await gateway.close(run)).toMatchObject({ spend: 0, answered: 1 });
  expect(performance.now() - began).toBeLessThan(3000);
});

test('closed again it tells the same, although the user is gone', async () => {
  const { gateway, run, ask } = await setUp();
  await ask((await gateway.open(run)).key);
  const use = await gateway.close(run);
  expect(await gateway.close(run)).toEqual(use);
  expect(use.spend).toBe(0.25);
});

test('a budget that ran out is told as such, and as no failure of the model', async () => {
  const { gateway, run, ask } = await setUp({ callCost: 1 });
  const { key } = await gateway.open(run);
  await ask(key);
  expect(await ask(key)).toMatchObject([422, { error: { type: 'budget_exceeded' } }]);
  expect(await gateway.close(run)).toMatchObject({ spend: 1, budget_exhausted: true, answered: 1, failed: 0 });
});

test('books that can not be read are an error, and can be read later', async () => {
  const { stub, gateway, run, ask } = await setUp();
  await ask((await gateway.open(run)).key);
  stub.failing = /user\/info/;
  const words = `LiteLLM at ${stub.url} answered GET /user/info with 500: Internal Server Error`;
  await expect(gateway.close(run)).rejects.toThrow(words);
  stub.failing = undefined;
  expect((await gateway.close(run)).spend).toBe(0.25);
});

test('a user that can not be removed is told, and the run keeps its spend', async () => {
  const { stub, gateway, run, ask, left } = await setUp();
  await ask((await gateway.open(run)).key);
  stub.failing = /user\/delete/;
  expect((await gateway.close(run)).spend).toBe(0.25);
  expect(left).toEqual([expect.stringMatching(/^LiteLLM still has the user ssebench-run-\d+ and its key: .* 500/)]);
});

test('without a socket there is no run, and no user is left', async () => {
  const { stub, gateway, run } = await setUp();
  await expect(gateway.open({ ...run, socket: '/none/run.sock' })).rejects.toThrow('refused POST /forwards');
  expect(stub.users.size).toBe(0);
});

test('a version without the route of one model is asked for its list', async () => {
  const { gateway, run } = await setUp({ oneModelRoute: false });
  expect((await gateway.open(run)).key).toMatch(/^sk-/);
});

test('what is wrong with LiteLLM is said in one line, with what to do and without a key', async () => {
  const { stub, gateway, run } = await setUp({ models: ['model-one', 'other'] });
  const gone = await LiteLlmStub.start();
  const said = async (other: { baseUrl?: string; masterKey?: string; model?: string }) => {
    const { baseUrl = stub.url, masterKey = MASTER_KEY, model = run.model } = other;
    const options = { address: { baseUrl, masterKey }, place, leftBehind: () => undefined };
    const error: unknown = await new LiteLlmGateway(options).open({ ...run, model }).catch((reason: unknown) => reason);
    return error instanceof Error ? error.message : error;
  };
  expect(await said({ model: 'model-on' })).toBe(
    `LiteLLM at ${stub.url}: unknown model "model-on", did you mean "model-one"? (available: model-one, other); its model_list needs it`,
  );
  expect(await said({ masterKey: 'sk-wrong' })).toBe(
    `LiteLLM at ${stub.url} refuses LITELLM_MASTER_KEY (401): set it to the master key that it was started with`,
  );
  const { url: baseUrl } = gone;
  await gone[Symbol.asyncDispose]();
  expect(await said({ baseUrl })).toBe(
    `LiteLLM at ${baseUrl} does not answer (ECONNREFUSED): start it with "ssebench proxy up", or set LITELLM_BASE_URL to one that runs`,
  );
  stub.failing = /user\/new/;
  expect(await said({})).toBe(`LiteLLM at ${stub.url} answered POST /user/new with 500: Internal Server Error`);
  expect(stub.users.size).toBe(0);
  await expect(gateway.close({ ...run, runId: 'never-opened' })).rejects.toThrow('no forward never-opened');
});

test('one without a database is told apart', async () => {
  const { stub, gateway, run } = await setUp({ database: false });
  await expect(gateway.open(run)).rejects.toThrow(
    `LiteLLM at ${stub.url} has no database, so it keeps no keys and no budgets: start it with one, as "ssebench proxy up" does`,
  );
});

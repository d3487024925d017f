import type { ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ProviderStub, stream, whole } from '../testing/provider-stub.ts';
import { readExchanges } from '../testing/read-exchanges.ts';
import { anthropic, chat } from '../testing/samples.ts';
import { callSocket, exited, type GatewaySpace, gatewaySpace, startProcess } from '../testing/started-process.ts';
import { GatewayProcess } from './gateway-process.ts';
import { adminSocket } from './state-dir.ts';

const KEY = 'sk-of-the-run';
const auth = { authorization: `Bearer ${KEY}` };

const forward = ({ socket }: GatewaySpace, base_url: string, more = {}) => ({
  run_id: 'run-1',
  model: 'the-model',
  base_url,
  key_sha256: hash('sha256', KEY),
  socket,
  allow: [],
  allow_fields: [],
  ...more,
});

const serve = ({ state, models, env }: GatewaySpace) =>
  GatewayProcess.start({
    stateDir: state,
    modelsDir: models,
    envFile: env,
    version: '1',
    build: '',
    idleMs: 60_000,
    log: () => undefined,
  });

/** A gateway with one forward to a stub, in a process of its own where that is to be killed. */
async function forwarding(more = {}, start: (space: GatewaySpace) => Promise<unknown> = serve) {
  const other = await ProviderStub.start();
  const space = gatewaySpace();
  const started = await start(space);
  const admin = adminSocket(space.state);
  const opened = await callSocket(admin, 'POST', '/forwards', forward(space, other.url, more));
  expect(opened.status).toBe(201);
  const ask = (body: unknown = chat.request, headers: object = auth, path: string = chat.path) =>
    callSocket(space.socket, 'POST', path, body, headers);
  const told = async () => (await callSocket(admin, 'GET', '/forwards/run-1')).body;
  const stop = async () => {
    if (started instanceof GatewayProcess) await started.stop();
    await other[Symbol.asyncDispose]();
  };
  return { other, space, started, admin, ask, told, [Symbol.asyncDispose]: stop };
}

test('a request and its answer pass as they are: path, query, headers, key, bytes', async () => {
  await using gateway = await forwarding();
  const { other, space, admin } = gateway;
  await callSocket(admin, 'DELETE', '/forwards/run-1');
  const again = forward(space, `${other.url}/under/`, { run_id: 'run-2' });
  expect((await callSocket(admin, 'POST', '/forwards', again)).status).toBe(201);
  const answer = ` {"odd" :1.0,  "bytes":"\u00e9"}\n`;
  other.answers(whole(answer, 200, { 'x-litellm-model-id': 'abc' }));
  const body = ` { "model":"the-model",\t"messages":[ {"role":"user","content":"h\u00e9"} ] } `;
  const sent = request({
    socketPath: space.socket,
    method: 'POST',
    path: '/v1/chat/completions?beta=%74rue&prettyPrint',
    headers: { 'X-Api-Key': KEY, 'Anthropic-Beta': 'one, two', 'accept-encoding': 'gzip' },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(String(await buffer(response))).toBe(answer);
  expect(response.headers['x-litellm-model-id']).toBe('abc');
  expect(other.last).toMatchObject({ method: 'POST', path: '/under/v1/chat/completions?beta=%74rue&prettyPrint' });
  expect(String(other.last.body)).toBe(body);
  const headers = { 'x-api-key': KEY, 'anthropic-beta': 'one, two', 'accept-encoding': 'gzip' };
  expect(other.last.headers).toMatchObject({ ...headers, host: new URL(other.url).host });
});

test('a stream passes piece by piece while it goes on', async () => {
  await using gateway = await forwarding();
  const seen = Promise.withResolvers<void>();
  gateway.other.answers(async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chat.events[0]);
    await seen.promise;
    response.end(chat.events.slice(1).join(''));
  });
  const sent = request({ socketPath: gateway.space.socket, method: 'POST', path: chat.path, headers: auth });
  sent.end(JSON.stringify({ ...chat.request, stream: true }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const [first] = (await once(response, 'data')) as [Buffer];
  expect(String(first)).toBe(chat.events[0]);
  seen.resolve();
  expect(String(first) + String(await buffer(response))).toBe(chat.events.join(''));
  expect(await gateway.told()).toMatchObject({ calls: 1, answered: 1, failed: 0, last_call: { ok: true } });
});

test('it goes on after kill -9 with its socket, its key and what it counted', async () => {
  let child: ChildProcess | undefined;
  await using gateway = await forwarding({}, async (at) => {
    child = (await startProcess(at)).child;
  });
  const { other, space, ask } = gateway;
  other.answers(whole(chat.answer));
  await ask();
  child?.kill('SIGKILL');
  await (child && exited(child));
  await startProcess(space);
  expect((await ask()).body).toEqual(JSON.parse(chat.answer));
  expect(await gateway.told()).toMatchObject({ calls: 2, answered: 2, closed: false });
  const file = join(space.state, 'forwards.json');
  expect(readFileSync(file, 'utf8')).not.toContain(KEY);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('an agent that ends its key gets nothing through any more, nor does a call under way, nor after a restart', async () => {
  await using gateway = await forwarding();
  const { other, space, started, ask } = gateway;
  const arrived = Promise.withResolvers<void>();
  other.answers((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    arrived.resolve();
  });
  const cut = expect(ask()).rejects.toThrow();
  await arrived.promise;
  expect((await ask({}, { authorization: 'Bearer sk-other' }, '/ssebench/revoke')).status).toBe(401);
  expect((await ask({}, auth, '/ssebench/revoke')).status).toBe(200);
  await cut;
  expect((await ask()).status).toBe(401);
  if (started instanceof GatewayProcess) await started.stop();
  const next = await serve(space);
  onTestFinished(() => next.stop());
  await expect(ask()).rejects.toThrow();
  expect(other.received).toHaveLength(1);
  expect(await gateway.told()).toMatchObject({ calls: 1, answered: 0, failed: 0, last_call: null });
});

test('a key that an agent ends while a request comes is worth nothing to it', async () => {
  await using gateway = await forwarding();
  const { other, space, ask } = gateway;
  other.answers(whole('{}'));
  const body = JSON.stringify(chat.request);
  const late = request({ socketPath: space.socket, method: 'POST', path: chat.path, headers: auth, agent: false });
  late.write(body.slice(0, 10));
  expect((await ask()).status).toBe(200);
  await ask({}, auth, '/ssebench/revoke');
  late.end(body.slice(10));
  const [response] = (await once(late, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(401);
  response.resume();
  expect(other.received).toHaveLength(1);
});

test('what a run may not ask for does not pass, and is recorded', async () => {
  await using gateway = await forwarding({ allow: ['code_execution'] });
  const { ask, other, space } = gateway;
  other.answers(whole('{}'));
  // What is left nobody here knows, and to ask for it is nothing to record.
  expect((await callSocket(space.socket, 'GET', '/ssebench/left', undefined, auth)).status).toBe(404);
  const refused = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;
  expect(await refused(chat.request, { authorization: 'Bearer sk-of-another-run' })).toBe(401);
  expect(await refused(chat.request, {})).toBe(401);
  expect(await refused({ ...chat.request, model: 'other' })).toBe(403);
  expect(await refused({ ...chat.request, web_search_options: {} })).toBe(400);
  expect(await refused({ ...anthropic.request, mcp_servers: [] }, auth, anthropic.path)).toBe(400);
  expect(await refused({}, auth, '/key/generate')).toBe(404);
  expect(await refused('no object')).toBe(400);
  expect(other.received).toHaveLength(0);
  expect(await refused({ ...anthropic.request, container: 'c' }, auth, anthropic.path)).toBe(200);
  const { refusals } = await gateway.told();
  expect(refusals.map(({ code, field }: { code: string; field: string }) => [code, field])).toEqual([
    ['web_search', 'web_search_options'],
    ['mcp', 'mcp_servers'],
    ['route', '/key/generate'],
  ]);
});

test('errors of the other gateway pass as they are and are told apart', async () => {
  await using gateway = await forwarding();
  const { ask, other } = gateway;
  const error = { error: { message: 'overloaded', type: 'None', code: '503' } };
  other.answers(whole(JSON.stringify(error), 503));
  expect(await ask()).toEqual({ status: 503, body: error });
  expect(await gateway.told()).toMatchObject({ failed: 1, last_call: { ok: false, status: 503, words: 'overloaded' } });
  const spent = { error: { message: `${KEY} is over budget`, type: 'budget_exceeded', code: '422' } };
  other.answers(whole(JSON.stringify(spent), 422));
  expect(await ask()).toEqual({ status: 422, body: spent });
  const words = '[redacted] is over budget';
  expect(await gateway.told()).toMatchObject({ failed: 1, budget_exhausted: true, last_call: { status: 422, words } });
  const { url } = other;
  await other[Symbol.asyncDispose]();
  const { status, body } = await ask();
  expect([status, body.error.message]).toEqual([502, expect.stringMatching(`^the gateway at ${url} did not answer`)]);
  expect(await gateway.told()).toMatchObject({ calls: 3, failed: 2, last_call: { status: 0 } });
});

test('a stream that breaks off breaks off at the client, too, and counts as failed', async () => {
  await using gateway = await forwarding();
  gateway.other.answers(async (response) => {
    await stream(chat.events[0])(Object.assign(response, { end: () => response.destroy() }), gateway.other.last);
  });
  await expect(gateway.ask({ ...chat.request, stream: true })).rejects.toThrow('aborted');
  expect(await gateway.told()).toMatchObject({ calls: 1, answered: 0, failed: 1 });
});

test('closed, it tells what was used as often as it is asked, with the spend that was kept', async () => {
  await using gateway = await forwarding();
  const { admin, ask, other } = gateway;
  other.answers(whole(chat.answer));
  await ask();
  const closed = await callSocket(admin, 'DELETE', '/forwards/run-1');
  expect(closed.body).toMatchObject({ closed: true, calls: 1, spent_usd: null });
  const kept = await callSocket(admin, 'PUT', '/forwards/run-1/spend', { spent_usd: '0.125' });
  expect(await callSocket(admin, 'DELETE', '/forwards/run-1')).toEqual(kept);
  expect(kept.body.spent_usd).toBe('0.125');
  await expect(ask()).rejects.toThrow();
});

test('the process stays as long as it has a forward', async () => {
  await using other = await ProviderStub.start();
  const space = gatewaySpace();
  const { child } = await startProcess(space, '--idle-seconds', '0.3');
  const admin = adminSocket(space.state);
  await callSocket(admin, 'POST', '/forwards', forward(space, other.url));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await callSocket(admin, 'GET', '/status')).body.forwards).toMatchObject([{ run_id: 'run-1' }]);
  await callSocket(admin, 'DELETE', '/forwards/run-1');
  await exited(child);
  expect(child.exitCode).toBe(0);
});

test('a list of forwards that can not be read is put aside, and the process serves', async () => {
  const space = gatewaySpace();
  mkdirSync(space.state);
  writeFileSync(join(space.state, 'forwards.json'), '[{"run_id"');
  const gateway = await serve(space);
  onTestFinished(() => gateway.stop());
  expect((await callSocket(adminSocket(space.state), 'GET', '/status')).body.forwards).toEqual([]);
  expect(readFileSync(join(space.state, 'forwards.json.unread'), 'utf8')).toBe('[{"run_id"');
});

test('orders that make no sense are refused by name', async () => {
  await using gateway = await forwarding();
  const { admin, space, other } = gateway;
  const order = async (more: object) => {
    const asked = { ...forward(space, other.url), run_id: 'run-2', ...more };
    const { status, body } = await callSocket(admin, 'POST', '/forwards', asked);
    return [status, body.error?.code];
  };
  expect(await order({ run_id: 'run-1' })).toEqual([409, 'run_exists']);
  expect(await order({ base_url: 'file:///etc' })).toEqual([400, 'body']);
  expect(await order({ key_sha256: KEY })).toEqual([400, 'body']);
  expect(await order({ allow: ['everything'] })).toEqual([400, 'body']);
  expect(await order({ socket: join(space.path, 'none', 'run.sock') })).toEqual([409, 'socket']);
  expect((await callSocket(admin, 'DELETE', '/forwards/none')).status).toBe(404);
  expect((await callSocket(admin, 'PUT', '/forwards/run-1/spend', { spent_usd: '-1' })).status).toBe(400);
});

test('a forward is recorded as it passes, what is refused included, without the run’s key', async () => {
  const folder = gatewaySpace();
  const record = join(folder.path, 'calls.jsonl.zst');
  await using gateway = await forwarding({ record });
  gateway.other.answers(whole(JSON.stringify({ echo: KEY })));
  await gateway.ask({ ...chat.request, user: KEY });
  await gateway.ask({ ...chat.request, web_search_options: {} });
  const closed = await callSocket(gateway.admin, 'DELETE', '/forwards/run-1');
  expect(closed.body.recording).toMatchObject({ exchanges: 2, lost: 0, problem: null });
  expect((await callSocket(gateway.admin, 'DELETE', '/forwards/run-1')).body).toEqual(closed.body);
  const exchanges = await readExchanges(record);
  expect(exchanges.map(({ answer }) => answer.status)).toEqual([200, 400]);
  expect(exchanges[0]?.answerBody.toString()).toBe('{"echo":"[key]"}');
  expect(JSON.stringify(exchanges)).not.toContain(KEY);
});

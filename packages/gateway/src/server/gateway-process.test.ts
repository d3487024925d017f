import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProviderStub, whole } from '../testing/provider-stub.ts';
import { anthropic } from '../testing/samples.ts';
import { callSocket, exited, gatewaySpace, startProcess } from '../testing/started-process.ts';
import { adminSocket } from './state-dir.ts';

const SECRET = 'sk-secret-of-the-provider';

/** A folder with a model that costs 1 USD a million tokens in and 2 out, served by `url`. */
function workspace(url: string) {
  const models = `- model_name: the-model
  litellm_params:
    model: anthropic/served-model
    api_base: ${url}
    api_key: os.environ/TEST_PROVIDER_KEY
  model_info:
    input_cost_per_token: 0.000001
    output_cost_per_token: 0.000002
    cache_read_input_token_cost: 0.0000001
`;
  return gatewaySpace(models, `TEST_PROVIDER_KEY=${SECRET}\n`);
}

const newRun = (socket: string) => ({ run_id: 'run-1', model: 'the-model', budget_usd: '1.5', concurrency: 8, socket });
test('a run is served over its own socket from its start to its end, with its spend to the cent', async () => {
  await using provider = await ProviderStub.start();
  provider.answers(whole(anthropic.answer));
  const space = workspace(provider.url);
  const { child, said } = await startProcess(space);
  const admin = adminSocket(space.state);
  expect(statSync(space.state).mode & 0o777).toBe(0o700);
  const { base_url } = JSON.parse(said);

  const created = await callSocket(admin, 'POST', '/runs', newRun(space.socket));
  expect(created).toMatchObject({ status: 201, body: { base_url } });
  const headers = { 'x-api-key': created.body.key };
  const answer = await callSocket(space.socket, 'POST', '/v1/messages', anthropic.request, headers);
  expect(answer.body).toEqual(JSON.parse(anthropic.answer));
  expect(provider.last.headers['x-api-key']).toBe(SECRET);
  await callSocket(space.socket, 'POST', '/v1/messages', { ...anthropic.request, container: 'c' }, headers);

  const status = await callSocket(admin, 'GET', '/status');
  expect(status.body).toMatchObject({
    models: ['the-model'],
    problems: [],
    runs: [{ run_id: 'run-1', spent_usd: '0.000104' }],
  });
  expect(status.body.refusals).toMatchObject([{ field: 'container', code: 'code_execution', count: 1 }]);
  const spend = await callSocket(admin, 'DELETE', '/runs/run-1');
  expect(spend.body).toMatchObject({
    revoked: true,
    budget_usd: '1.50',
    spent_usd: '0.000104',
    uncertain_usd: '0.00',
    calls: 1,
    served_models: ['served-model'],
  });
  await expect(callSocket(space.socket, 'GET', '/v1/models', undefined, headers)).rejects.toThrow();
  expect((await callSocket(admin, 'GET', '/runs/run-1')).body).toEqual(spend.body);

  expect((await callSocket(admin, 'POST', '/shutdown')).status).toBe(200);
  await exited(child);
  expect(child.exitCode).toBe(0);
});

test('a run goes on after kill -9 with its key, its socket, its port and what it had spent', async () => {
  await using provider = await ProviderStub.start();
  provider.answers(whole(anthropic.answer));
  const space = workspace(provider.url);
  const first = await startProcess(space);
  const admin = adminSocket(space.state);
  const { key } = (await callSocket(admin, 'POST', '/runs', newRun(space.socket))).body;
  const ask = () =>
    callSocket(space.socket, 'POST', '/v1/messages', anthropic.request, { authorization: `Bearer ${key}` });
  expect((await ask()).status).toBe(200);
  first.child.kill('SIGKILL');
  await exited(first.child);

  const second = await startProcess(space);
  expect(JSON.parse(second.said).base_url).toBe(JSON.parse(first.said).base_url);
  expect((await ask()).status).toBe(200);
  expect((await callSocket(admin, 'GET', '/runs/run-1')).body).toMatchObject({ spent_usd: '0.000208', calls: 2 });
});

test('a second process for the same directory ends at once and leaves the first alone', async () => {
  await using provider = await ProviderStub.start();
  const space = workspace(provider.url);
  await startProcess(space);
  const second = await startProcess(space);
  await exited(second.child);
  expect(second.child.exitCode).toBe(1);
  expect((await callSocket(adminSocket(space.state), 'GET', '/status')).status).toBe(200);
});

test('without a run it ends by itself; with one it stays', async () => {
  await using provider = await ProviderStub.start();
  const space = workspace(provider.url);
  const { child } = await startProcess(space, '--idle-seconds', '0.3');
  const admin = adminSocket(space.state);
  await callSocket(admin, 'POST', '/runs', newRun(space.socket));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(child.exitCode).toBe(null);
  await callSocket(admin, 'DELETE', '/runs/run-1');
  await exited(child);
  expect(child.exitCode).toBe(0);
});

test('orders that make no sense are refused by name', async () => {
  await using provider = await ProviderStub.start();
  const space = workspace(provider.url);
  await startProcess(space);
  const admin = adminSocket(space.state);
  const run = newRun(space.socket);
  const order = async (body: unknown) => {
    const { status, body: answer } = await callSocket(admin, 'POST', '/runs', body);
    return [status, answer.error?.code];
  };
  expect(await order({ ...run, model: 'other' })).toEqual([404, 'unknown_model']);
  expect(await order({ ...run, budget_usd: '-1' })).toEqual([400, 'body']);
  expect(await order({ ...run, allow: ['everything'] })).toEqual([400, 'body']);
  expect(await order({ ...run, run_id: '../x' })).toEqual([400, 'body']);
  expect(await order({ ...run, socket: join(space.path, 'none', 'run.sock') })).toEqual([409, 'socket']);
  expect(await order(run)).toEqual([201, undefined]);
  expect(await order(run)).toEqual([409, 'run_exists']);
  expect((await callSocket(admin, 'GET', '/runs/none')).status).toBe(404);
  expect((await callSocket(admin, 'GET', '/other')).status).toBe(404);
});

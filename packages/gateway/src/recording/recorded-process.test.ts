import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adminSocket } from '../server/state-dir.ts';
import { ProviderStub, stream, whole } from '../testing/provider-stub.ts';
import { readExchanges } from '../testing/read-exchanges.ts';
import { anthropic } from '../testing/samples.ts';
import { callSocket, exited, gatewaySpace, startProcess } from '../testing/started-process.ts';

/** A gateway's folder with a model that `provider` serves, and what opens a run that is recorded in it. */
function space(provider: ProviderStub) {
  const models = `- model_name: the-model
  litellm_params: { model: anthropic/served-model, api_base: "${provider.url}", api_key: os.environ/KEY }
  model_info: { input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
`;
  const made = gatewaySpace(models, 'KEY=sk-secret-of-the-provider\n');
  const record = join(made.path, 'calls.jsonl.zst');
  const run = { run_id: 'run-1', model: 'the-model', budget_usd: '1.5', concurrency: 8, socket: made.socket, record };
  return { ...made, admin: adminSocket(made.state), record, run };
}

const asked = (text: string) => ({ ...anthropic.request, messages: [{ role: 'user', content: text }] });

test('kill -9 in the middle of a call leaves a recording of all that was over, which goes on after it', async () => {
  await using provider = await ProviderStub.start();
  const at = space(provider);
  const first = await startProcess(at);
  const { key } = (await callSocket(at.admin, 'POST', '/runs', at.run)).body;
  const ask = (text: string) => callSocket(at.socket, 'POST', '/v1/messages', asked(text), { 'x-api-key': key });
  provider.answers(whole(anthropic.answer));
  await Promise.all(['1', '2', '3'].map(ask));
  provider.answers((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(anthropic.events[0], () => first.child.kill('SIGKILL'));
  });
  await expect(ask('killed')).rejects.toThrow();
  await exited(first.child);
  const texts = async () =>
    (await readExchanges(at.record)).map(({ requestBody }) => JSON.parse(requestBody.toString()).messages[0].content);
  expect((await texts()).sort()).toEqual(['1', '2', '3']);

  await startProcess(at);
  provider.answers(whole(anthropic.answer));
  await ask('after');
  const { recording } = (await callSocket(at.admin, 'DELETE', '/runs/run-1')).body;
  expect((await texts()).slice(3)).toEqual(['after']);
  expect(recording).toMatchObject({ exchanges: 4, lost: 0, problem: null });
});

test('a run is replayed by another process: no call, no cost, and what differed is told in the end', async () => {
  await using provider = await ProviderStub.start();
  const at = space(provider);
  await startProcess(at);
  const open = async (run: object) => {
    const { key } = (await callSocket(at.admin, 'POST', '/runs', run)).body;
    return (text: string) => callSocket(at.socket, 'POST', '/v1/messages', asked(text), { 'x-api-key': key });
  };
  provider.answers(whole(anthropic.answer));
  const ask = await open(at.run);
  const answers = [await ask('1'), await ask('2')];
  await callSocket(at.admin, 'DELETE', '/runs/run-1');
  provider.answers(stream('never asked'));

  const again = await open({ ...at.run, run_id: 'run-2', model: 'gone', record: undefined, replay: at.record });
  expect([await again('1')]).toEqual(answers.slice(0, 1));
  expect(await again('3')).toMatchObject({ status: 400, body: { type: 'error' } });
  expect((await callSocket(at.admin, 'DELETE', '/runs/run-2')).body).toMatchObject({
    spent_usd: '0.00',
    calls: 0,
    recording: null,
    replay: { of: 2, served: 1, first_difference: { exchange: 2, field: 'messages[0].content', found: '"3"' } },
  });
  expect(provider.received).toHaveLength(2);
  const missing = { ...at.run, run_id: 'run-3', replay: join(at.path, 'none') };
  expect(await callSocket(at.admin, 'POST', '/runs', missing)).toMatchObject({
    status: 409,
    body: { error: { code: 'replay' } },
  });
});

test('the calls of a run can be listed, each with its id in the recording', async () => {
  await using provider = await ProviderStub.start();
  const at = space(provider);
  await startProcess(at);
  const { key } = (await callSocket(at.admin, 'POST', '/runs', at.run)).body;
  provider.answers(whole(anthropic.answer), whole('{"error":{"message":"no"}}', 400));
  for (const text of ['1', '2']) await callSocket(at.socket, 'POST', '/v1/messages', asked(text), { 'x-api-key': key });
  const { body } = await callSocket(at.admin, 'GET', '/runs/run-1/calls');
  expect(body).toMatchObject({
    model: 'the-model',
    calls: [
      {
        state: 'settled',
        served_model: 'served-model',
        status: 200,
        cost_usd: '0.00014',
        tokens: { input: 60, cache_read: 40, output: 20 },
      },
      { state: 'released', status: 400, words: 'no', cost_usd: '0.00' },
    ],
  });
  const recorded = (await readExchanges(at.record)).map(({ call_id }) => call_id);
  expect(body.calls.map(({ call_id }: { call_id: string }) => call_id)).toEqual(recorded);
  expect((await callSocket(at.admin, 'GET', '/runs/none/calls')).status).toBe(404);
});

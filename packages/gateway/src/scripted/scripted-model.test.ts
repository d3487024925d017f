import { expect, test } from 'vitest';
import { TestGateway } from '../testing/test-gateway.ts';
import { object, objects, string } from './json.ts';
import type { Scenario } from './scenario.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { CLIENTS, type Client } from './testing/clients.ts';

const SCENARIO: Scenario = {
  steps: [
    { do: 'run', command: 'make "all"', think: 'Build first.', say: 'I build it.' },
    { do: 'test_patch' },
    { do: 'finish', say: 'It is fixed.' },
  ],
};
const EVERY = CLIENTS.flatMap((client) => [true, false].map((streamed) => [client.name, streamed, client] as const));

async function ask(model: ScriptedModel, client: Client, streamed = false, messages = ['Fix it.']) {
  const path = streamed ? client.streamPath : client.path;
  const response = await fetch(`${model.url}${path}`, {
    method: 'POST',
    body: JSON.stringify(client.request(messages, streamed)),
  });
  const body = await response.text();
  return { status: response.status, ...(response.ok ? client.read(body, streamed) : { text: body, calls: [] }) };
}

test.each(EVERY)(
  '%s, streamed %s: thoughts, text and calls of the tools that were offered',
  async (_, streamed, client) => {
    await using model = await startScriptedModel(SCENARIO);
    const first = await ask(model, client, streamed);
    expect(first).toMatchObject({ status: 200, thoughts: 'Build first.', text: 'I build it.', done: 'tools' });
    expect(first.calls).toEqual([{ name: 'bash', input: { command: 'make "all"' } }]);
    const second = await ask(model, client, streamed);
    expect(second.calls).toEqual([{ name: 'mcp__sse__test_patch', input: {} }]);
    expect(await ask(model, client, streamed)).toMatchObject({ text: 'It is fixed.', calls: [], done: 'end' });
    expect(model.ended).toBe(true);
    expect(await ask(model, client, streamed)).toMatchObject({ text: 'Done.', calls: [] });
    expect(model.used).toEqual({ input: 4 * 800, cacheRead: 4 * 200, output: 4 * 50 });
    expect(model.requests[0]).toMatchObject({ protocol: client.name, stream: streamed, kind: 'step', step: 0 });
    expect(model.requests[0]?.text).toContain('Fix it.');
  },
);

test.each(EVERY)('%s, streamed %s: the gateway passes it on, and its spend is exact', async (_, streamed, client) => {
  await using model = await startScriptedModel(SCENARIO);
  await using gateway = await TestGateway.start({ model: { baseUrl: model.url } });
  const path = streamed ? client.streamPath : client.path;
  const { status, body } = await gateway.post(path, client.request(['Fix it.'], streamed));
  expect(status).toBe(200);
  expect(client.read(body.toString(), streamed).text).toBe('I build it.');
  expect(gateway.spend()).toMatchObject({ settled: 800n * 1000n + 200n * 100n + 50n * 2000n, answered: 1, failed: 0 });
});

test.each(CLIENTS.map((client) => [client.name, client] as const))(
  '%s: what offers no tool uses up no step',
  async (_, client) => {
    await using model = await startScriptedModel({ ...SCENARIO, aside: 'A title' });
    const body = JSON.stringify({ ...object(client.request(['Name this.'], false)), tools: [] });
    const response = await fetch(`${model.url}${client.path}`, { method: 'POST', body });
    expect(client.read(await response.text(), false)).toMatchObject({ text: 'A title', calls: [] });
    expect((await ask(model, client)).text).toBe('I build it.');
    expect(model.requests.map(({ kind }) => kind)).toEqual(['aside', 'step']);
    expect(model.answers).toBe(2);
  },
);

test.each(EVERY)(
  '%s, streamed %s: faults come as often as the scenario says, and cost nothing',
  async (_, streamed, client) => {
    await using model = await startScriptedModel({
      steps: [{ do: 'fail', status: 529, times: 2 }, { do: 'cut' }, { do: 'finish', say: 'Now.' }],
    });
    expect((await ask(model, client, streamed)).status).toBe(529);
    const again = await ask(model, client, streamed);
    expect(object(object(JSON.parse(again.text))['error'])['message']).toBe('scripted: status 529');
    await expect(ask(model, client, streamed)).rejects.toThrow();
    expect(model.answers).toBe(0);
    expect((await ask(model, client, streamed)).text).toBe('Now.');
    expect(model.conversation.map(({ kind, step }) => [kind, step])).toEqual([
      ['fault', 0],
      ['fault', 0],
      ['fault', 1],
      ['step', 2],
    ]);
  },
);

test('a provider that hangs answers nothing until its client goes away', async () => {
  await using model = await startScriptedModel({ steps: [{ do: 'hang' }, { do: 'finish' }] });
  const [client] = CLIENTS;
  const body = JSON.stringify(client.request(['Fix it.'], false));
  const answer = fetch(`${model.url}${client.path}`, { method: 'POST', body, signal: AbortSignal.timeout(200) });
  await expect(answer).rejects.toThrow('timeout');
  expect((await ask(model, client)).text).toBe('Done.');
});

test('an answer that has to fit a schema does', async () => {
  await using model = await startScriptedModel(SCENARIO);
  const schema = {
    type: 'OBJECT',
    properties: { reasoning: { type: 'STRING' }, next_speaker: { type: 'STRING', enum: ['user', 'model'] } },
    required: ['reasoning', 'next_speaker'],
  };
  const response = await fetch(`${model.url}/v1beta/models/m:generateContent`, {
    method: 'POST',
    body: JSON.stringify({ contents: [], generationConfig: { responseSchema: schema } }),
  });
  const [candidate] = objects(object(await response.json())['candidates']);
  const [part] = objects(object(candidate?.['content'])['parts']);
  expect(JSON.parse(string(part?.['text']))).toEqual({ reasoning: 'scripted', next_speaker: 'user' });
});

test('another scenario begins with nothing asked and nothing used', async () => {
  await using model = await startScriptedModel(SCENARIO);
  await ask(model, CLIENTS[0]);
  model.play({ steps: [{ do: 'finish', say: 'Another.' }], usage: { input: 1, cacheRead: 2, output: 3 } });
  expect(model.requests).toEqual([]);
  expect((await ask(model, CLIENTS[1])).text).toBe('Another.');
  expect(model.used).toEqual({ input: 1, cacheRead: 2, output: 3 });
});

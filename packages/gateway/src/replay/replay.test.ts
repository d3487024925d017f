import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stream, whole } from '../testing/provider-stub.ts';
import { anthropic, chat } from '../testing/samples.ts';
import { TestGateway, type TestOptions } from '../testing/test-gateway.ts';

const FILE = 'calls.jsonl.zst';

const ask = (text: string) => ({ ...chat.request, messages: [{ role: 'user', content: text }] });
const say = (text: string) => whole(JSON.stringify({ text }));

/** A run that was asked these, one after the other, answered each with its number. */
async function recordRun(...texts: string[]): Promise<TestGateway> {
  const gateway = await TestGateway.start({ record: FILE });
  gateway.provider.answers(...texts.map((_, index) => say(String(index + 1))));
  for (const text of texts) await gateway.post(chat.path, ask(text.replace('KEY', gateway.key)));
  return gateway;
}

/** A client of a run that is answered from the recording of another one; its provider is gone. */
async function replayOf(gateway: TestGateway, options: TestOptions = {}) {
  await gateway.provider[Symbol.asyncDispose]();
  const runId = 'run-2';
  const key = gateway.addRun({ budget: 0n, replay: join(gateway.path, FILE), ...options });
  const post = async (body: unknown, path: string = chat.path) => {
    const answer = await gateway.post(path, body, { 'x-api-key': key });
    return { ...answer, text: answer.body.toString() };
  };
  const state = async () => (await gateway.gateway.replays.of(runId, '', undefined)).state;
  return { key, post, state };
}

test('the same requests get the same bytes, without a provider and at no cost', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  gateway.provider.answers(stream(...anthropic.events), whole(anthropic.answer, 200, { 'request-id': 'r' }));
  const streamed = await gateway.post(anthropic.path, { ...anthropic.request, stream: true });
  const plain = await gateway.post(anthropic.path, anthropic.request);
  const replay = await replayOf(gateway);
  const again = [
    await replay.post({ stream: true, ...anthropic.request }, anthropic.path),
    await replay.post(anthropic.request, anthropic.path),
  ];
  expect(again.map(({ body }) => body.toString())).toEqual([streamed.body.toString(), plain.body.toString()]);
  expect(again[1]?.headers).toMatchObject({ 'request-id': 'r', 'content-type': 'application/json' });
  expect(await replay.state()).toEqual({ of: 2, served: 2, first_difference: null });
  expect(gateway.ledger.spend('run-2')).toMatchObject({ settled: 0n, calls: 0 });
});

test('equal requests are answered in the recorded order, others in any', async () => {
  await using gateway = await recordRun('same', 'other', 'same');
  const replay = await replayOf(gateway);
  const said = [];
  for (const text of ['same', 'same', 'other']) said.push((await replay.post(ask(text))).text);
  expect(said).toEqual(['{"text":"1"}', '{"text":"3"}', '{"text":"2"}']);
});

test('what differs in every run is no difference', async () => {
  await using gateway = await recordRun(
    'it is 2026-11-30T15:02:05Z, Mon Nov 30 15:02:05 UTC 2026; took 1.25 seconds; KEY; 3fa85f64-5717-4562-b3fc-2c963f66afa6; ' +
      'until 1796070271, not 1796070271345; ==123==ERROR at 0x602000000010; [main 1a2b3c4] /tmp/tmp.Ab12Cd; -rw-r--r-- 1 model model 12 Nov 30 15:02 a.c',
  );
  const replay = await replayOf(gateway);
  const answer = await replay.post({
    metadata: { session: 'another' },
    ...ask(
      `it is 2027-01-01T05:12:45Z, Fri Jan  1 05:12:45 UTC 2027; took 3 seconds; ${replay.key}; 9ba85f64-5717-4562-b3fc-2c963f66afa7; ` +
        'until 1798761600, not 1798761600001; ==99==ERROR at 0x602000000f10; [main 9f8e7d6] /tmp/tmp.Xy34Zz; -rw-r--r-- 1 model model 12 Jan  1 05:12 a.c',
    ),
  });
  expect(answer).toMatchObject({ status: 200 });
});

test('the first request that differs is told with where and how, to the agent and in the end', async () => {
  await using gateway = await recordRun('first', 'a.c:12:34: the second');
  const replay = await replayOf(gateway);
  await replay.post(ask('first'));
  const answer = await replay.post(ask('a.c:12:35: the second'));
  expect(answer).toMatchObject({ status: 400, headers: { 'x-should-retry': 'false' } });
  expect(JSON.parse(answer.text).error.message).toBe(
    'not in the recording of this replay; call 2 was recorded otherwise: messages[0].content was "a.c:12:34: the second", and is "a.c:12:35: the second"',
  );
  await replay.post(ask('something else'));
  expect(await replay.state()).toEqual({
    of: 2,
    served: 1,
    first_difference: {
      exchange: 2,
      protocol: 'openai-chat',
      path: '/v1/chat/completions',
      field: 'messages[0].content',
      recorded: '"a.c:12:34: the second"',
      found: '"a.c:12:35: the second"',
    },
  });
});

test('one call more than was recorded is a difference, too', async () => {
  await using gateway = await recordRun('only');
  const replay = await replayOf(gateway);
  await replay.post(ask('only'));
  expect((await replay.post(ask('only'))).text).toContain('there are no more calls to this path');
  expect((await replay.state()).first_difference).toMatchObject({ exchange: null });
});

test('a long answer comes back as it was, through a client that reads slowly', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  const long = `{"text":"${'0123456789abcdef'.repeat(400_000)}"}`;
  gateway.provider.answers(whole(long));
  await gateway.post(chat.path, ask('long'.repeat(400_000 / 4)));
  const replay = await replayOf(gateway);
  expect((await replay.post(ask('long'.repeat(400_000 / 4)))).text === long).toBe(true);
});

test('a replay goes on where an earlier process of the gateway left it', async () => {
  await using gateway = await recordRun('same', 'same');
  const replay = await replayOf(gateway, { record: 'replay.jsonl.zst' });
  await replay.post(ask('same'));
  await replay.post(ask('otherwise'));
  const before = await replay.state();
  await gateway.gateway.recordings.closeAll();
  await gateway.gateway.replays.closeAll();
  expect((await replay.post(ask('same'))).text).toBe('{"text":"2"}');
  expect(await replay.state()).toEqual({ ...before, served: 2 });
});

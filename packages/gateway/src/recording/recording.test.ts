import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../ledger/test-ledger.ts';
import { brokenStream, stream, whole } from '../testing/provider-stub.ts';
import { readExchanges } from '../testing/read-exchanges.ts';
import { anthropic, chat, gemini } from '../testing/samples.ts';
import { PROVIDER_KEY, RUN_ID, TestGateway } from '../testing/test-gateway.ts';
import { partPath, partsOf } from './parts.ts';
import { RecordingFile } from './recording-file.ts';

const FILE = 'calls.jsonl.zst';

async function recorded(gateway: TestGateway) {
  const [only, ...more] = await readExchanges(join(gateway.path, FILE));
  if (only === undefined || more.length > 0) throw new Error('not one exchange');
  return only;
}

test('an exchange is recorded as it was on the client’s side before the client has seen its end', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  gateway.provider.answers(stream(...anthropic.events));
  const body = JSON.stringify({ ...anthropic.request, stream: true }, null, 1);
  const answer = await gateway.post(anthropic.path, body, { 'anthropic-beta': 'b' });
  const exchange = await recorded(gateway);
  expect(exchange).toMatchObject({
    exchange: 1,
    protocol: 'anthropic-messages',
    path: '/v1/messages?beta=true',
    request: { headers: { 'anthropic-beta': 'b' } },
    answer: { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, end: 'whole' },
    replay: null,
  });
  expect(exchange.requestBody.toString()).toBe(body);
  expect(exchange.answerBody.equals(answer.body)).toBe(true);
  expect(exchange.total_ms).toBeGreaterThanOrEqual(exchange.first_byte_ms ?? Number.NaN);
  expect(exchange.call_id).toMatch(/^[0-9a-f-]{36}$/);
});

test('no key comes into a recording, wherever it stands', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  gateway.provider.answers(whole(JSON.stringify({ echo: `${PROVIDER_KEY} ${gateway.key}` })));
  const request = {
    ...gemini.request,
    contents: [{ role: 'user', parts: [{ text: `env: ${gateway.key}\n${PROVIDER_KEY}` }] }],
  };
  const path = gemini.path.replace(/\?.*/, '');
  await gateway.post(`${path}?key=${gateway.key}&beta=1`, request, {
    authorization: `Bearer ${gateway.key}`,
    cookie: gateway.key,
    'x-other': gateway.key,
  });
  const exchange = await recorded(gateway);
  const text = JSON.stringify(exchange) + exchange.requestBody.toString() + exchange.answerBody.toString();
  expect(text).not.toContain(gateway.key);
  expect(text).not.toContain(PROVIDER_KEY);
  expect(exchange.path).toBe(`${path}?beta=1`);
  expect(Object.keys(exchange.request.headers)).not.toContain('cookie');
  expect(exchange.answerBody.toString()).toBe('{"echo":"[key] [key]"}');
});

test('a key is found where a long answer is cut in the middle of it', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  const text = `{"a":"${`${'x'.repeat(999)}${PROVIDER_KEY}`.repeat(300)}"}`;
  gateway.provider.answers(whole(text));
  await gateway.post(chat.path, chat.request);
  const exchange = await recorded(gateway);
  expect(exchange.answer.parts).toBeGreaterThan(1);
  expect(exchange.answerBody.toString()).toBe(text.replaceAll(PROVIDER_KEY, '[key]'));
});

test('what is refused and what breaks off is recorded as the client saw it', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  gateway.provider.answers(brokenStream(...anthropic.events.slice(0, 3)));
  const streamed = await gateway.post(anthropic.path, { ...anthropic.request, stream: true });
  const refused = await gateway.post(chat.path, { ...chat.request, web_search_options: {} });
  gateway.provider.answers((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"a":', () =>
      setTimeout(() => response.write('1', () => setImmediate(() => response.destroy())), 50),
    );
  });
  const broken = await gateway.post(chat.path, chat.request);
  const exchanges = await readExchanges(join(gateway.path, FILE));
  expect(exchanges.map(({ exchange, answer }) => [exchange, answer.status, answer.end])).toEqual([
    [1, 200, 'whole'],
    [2, 400, 'whole'],
    [3, 200, 'broken'],
  ]);
  expect(exchanges[0]?.answerBody.toString()).toBe(streamed.body.toString());
  expect(exchanges[0]?.answerBody.toString()).toContain('event: error');
  expect(exchanges[1]?.answerBody.toString()).toBe(refused.body.toString());
  expect(broken).toMatchObject({ broken: true });
  expect(exchanges[2]?.answerBody.toString()).toBe(broken.body.toString());
});

test('bodies that are no text come back byte for byte', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256));
  gateway.provider.answers(whole(bytes));
  await gateway.post(chat.path, chat.request);
  expect((await recorded(gateway)).answerBody.equals(bytes)).toBe(true);
});

const line = (exchange: number, body = 'x') => ({
  kind: 'part' as const,
  exchange,
  of: 'answer' as const,
  body: { text: body },
});

test('what a killed process left goes on after its last whole line, and any tool reads it', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, FILE);
  const first = await RecordingFile.open(path);
  for (const text of ['a'.repeat(5_000_000), 'b', 'c']) first.append(line(first.nextNumber(), text));
  expect(partsOf(path)).toEqual([1, 2]);
  const killed = join(folder.path, 'killed');
  for (const part of [1, 2]) copyFileSync(partPath(path, part), partPath(killed, part));
  await first.close();
  truncateSync(partPath(killed, 2), statSync(partPath(killed, 2)).size - 3);
  const second = await RecordingFile.open(killed);
  second.append(line(second.nextNumber(), 'd'));
  await second.close();
  expect(partsOf(killed)).toEqual([]);
  const text = zstdDecompressSync(readFileSync(killed)).toString();
  const lines = text.trim().split('\n');
  expect(lines.map((one) => [JSON.parse(one).exchange, JSON.parse(one).body.text[0]])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'd'],
  ]);
});

test('a part that is in the file already is not read twice', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, FILE);
  const first = await RecordingFile.open(path);
  first.append(line(first.nextNumber()));
  const part = readFileSync(partPath(path, 1));
  await first.close();
  writeFileSync(partPath(path, 1), part);
  const second = await RecordingFile.open(path);
  expect(second.nextNumber()).toBe(2);
  await second.close();
  expect(partsOf(path)).toEqual([]);
});

test('a file that may not grow any more says so, and keeps what it has', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, FILE);
  const file = await RecordingFile.open(path, 400);
  file.append(line(1));
  const { bytes } = file.state;
  file.append(line(2, 'x'.repeat(400)));
  expect(file.state).toMatchObject({ bytes, problem: expect.stringContaining('as large as a recording may be') });
  file.append(line(3));
  expect(file.state.bytes).toBeGreaterThan(bytes);
  await file.close();
});

/** Only root can make a file system that is full so soon. */
test.runIf(process.getuid?.() === 0)(
  'a full disk loses exchanges and no more; the file goes on when there is room',
  async () => {
    using folder = temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', folder.path]);
    try {
      const path = join(folder.path, FILE);
      const file = await RecordingFile.open(path);
      writeFileSync(join(folder.path, 'ballast'), Buffer.alloc(100_000));
      for (const exchange of [1, 2, 3]) file.append(line(exchange, String(exchange).repeat(15_000)));
      expect(file.state).toMatchObject({ problem: expect.stringMatching(/disk is full|ENOSPC/) });
      rmSync(join(folder.path, 'ballast'));
      file.append(line(4));
      await file.close();
      const lines = zstdDecompressSync(readFileSync(path)).toString().trim().split('\n');
      expect(lines.map((one) => JSON.parse(one).exchange)).toEqual([1, 4]);
    } finally {
      execFileSync('umount', ['--lazy', folder.path]);
    }
  },
);

test('a recording that can’t be written changes nothing of the run, and its state says why', async () => {
  await using gateway = await TestGateway.start({ record: `no/such/folder/${FILE}` });
  gateway.provider.answers(whole(chat.answer));
  expect(await gateway.post(chat.path, chat.request)).toMatchObject({ status: 200, broken: false });
  expect(await gateway.gateway.recordings.state(RUN_ID, '')).toMatchObject({
    exchanges: 0,
    lost: 1,
    problem: expect.stringContaining('ENOENT'),
  });
});

test('a damaged end is passed over by readers', async () => {
  await using gateway = await TestGateway.start({ record: FILE });
  gateway.provider.answers(whole(chat.answer));
  await gateway.post(chat.path, chat.request);
  await gateway.gateway.recordings.closeAll();
  appendFileSync(join(gateway.path, FILE), Buffer.from('0123456789'.repeat(10)));
  expect((await recorded(gateway)).exchange).toBe(1);
});

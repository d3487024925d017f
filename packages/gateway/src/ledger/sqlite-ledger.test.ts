import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { LEDGER_FILE, LedgerError } from './database.ts';
import { SqliteLedger } from './sqlite-ledger.ts';
import { copyAsKilled, NO_TOKENS, RUN, settlement, temporaryFolder } from './test-ledger.ts';

function codeOf(part: () => unknown): string | undefined {
  try {
    part();
    return undefined;
  } catch (error) {
    if (error instanceof LedgerError) return error.code;
    throw error;
  }
}

test('a call takes its upper bound from the budget and gives back what it did not cost', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  expect(ledger.reserve(key, 'a', 900n, 900n)).toEqual({ granted: true, amount: 900n });
  expect(ledger.spend('run-1')).toMatchObject({ settled: 0n, reserved: 900n });
  ledger.settle('a', settlement(10n));
  expect(ledger.spend('run-1')).toMatchObject({ settled: 10n, reserved: 0n, uncertain: 0n, budgetExhausted: false });
  expect(ledger.reserve(key, 'b', 990n, 990n)).toEqual({ granted: true, amount: 990n });
});

test('money that calls under way hold is told apart from money that is spent', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'a', 800n, 800n);
  expect(ledger.reserve(key, 'b', 300n, 100n)).toEqual({ granted: false, reason: 'reserved', left: 200n });
  expect(ledger.spend('run-1')?.budgetExhausted).toBe(false);
  ledger.settle('a', settlement(800n));
  expect(ledger.reserve(key, 'b', 300n, 100n)).toEqual({ granted: true, amount: 200n });
  ledger.settle('b', settlement(150n));
  expect(ledger.reserve(key, 'c', 300n, 100n)).toEqual({ granted: false, reason: 'budget', left: 50n });
  expect(ledger.spend('run-1')?.budgetExhausted).toBe(true);
});

test('what a call that was cut off may have cost counts in the budget and not as spend', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'a', 600n, 600n);
  ledger.settle('a', settlement(100n, { uncertain: 500n, failure: 'the client went away' }));
  expect(ledger.spend('run-1')).toMatchObject({ settled: 100n, uncertain: 500n, reserved: 0n });
  expect(ledger.reserve(key, 'b', 500n, 401n)).toEqual({ granted: false, reason: 'budget', left: 400n });
});

test.each([0, 200])('a call that its client gave up, at status %i, is no failure of the provider', (status) => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'a', 600n, 600n);
  ledger.settle('a', settlement(0n, { status, uncertain: 600n, failure: 'the client went away' }));
  expect(ledger.spend('run-1')).toMatchObject({ failed: 0, lastCall: { ok: true, status } });
  ledger.reserve(key, 'b', 100n, 100n);
  ledger.settle('b', settlement(0n, { status, failure: 'the provider did not answer: reset' }));
  expect(ledger.spend('run-1')).toMatchObject({ failed: 1, lastCall: { ok: false, status } });
});

test('a call ends once: a later end changes nothing', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'a', 500n, 500n);
  ledger.settle('a', settlement(100n));
  const first = ledger.spend('run-1');
  ledger.settle('a', settlement(300n));
  ledger.release('a', 500, 'late');
  ledger.settle('no such call', settlement(1n));
  expect(ledger.spend('run-1')).toEqual(first);
  ledger.reserve(key, 'b', 1n, 1n);
  expect(() => ledger.reserve(key, 'b', 1n, 1n)).toThrow('call b is open already');
  expect(ledger.spend('run-1')).toMatchObject({ reserved: 1n, calls: 2 });
});

test('a cost above the reservation is recorded as it is, and no further call is granted', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'a', 1_000n, 1_000n);
  ledger.settle('a', settlement(1_200n));
  expect(ledger.spend('run-1')).toMatchObject({ settled: 1_200n, reserved: 0n });
  expect(ledger.reserve(key, 'b', 0n, 0n)).toEqual({ granted: false, reason: 'budget', left: 0n });
});

test('no more calls at one time than the key allows', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey({ ...RUN, concurrency: 2 });
  for (const id of ['a', 'b']) expect(ledger.reserve(key, id, 10n, 10n).granted).toBe(true);
  expect(ledger.reserve(key, 'c', 10n, 10n)).toEqual({ granted: false, reason: 'concurrency', left: 980n });
  ledger.release('a', 503, 'overloaded');
  expect(ledger.reserve(key, 'c', 10n, 10n).granted).toBe(true);
});

test('a revoked key gets nothing more; its open calls are still settled', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'a', 500n, 500n);
  ledger.revoke('run-1');
  expect(ledger.reserve(key, 'b', 1n, 1n)).toEqual({ granted: false, reason: 'revoked', left: 500n });
  expect(ledger.find(key)).toEqual({ ...RUN, revoked: true });
  expect(ledger.liveRuns()).toEqual([]);
  ledger.settle('a', settlement(42n));
  expect(ledger.spend('run-1')).toMatchObject({ settled: 42n, revoked: true });
  expect(ledger.sums(key)).toMatchObject({ budget: RUN.budget, settled: 42n, reserved: 0n, uncertain: 0n });
});

test('a key is found by its whole text alone, and its file does not hold it', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  expect(key).toMatch(/^sk-ssebench-[\w-]{43}$/);
  expect(ledger.find(key)).toEqual({ ...RUN, revoked: false });
  expect(ledger.find(key.slice(0, -1))).toBeUndefined();
  expect(ledger.reserve('sk-other', 'a', 1n, 1n)).toEqual({ granted: false, reason: 'unknown_key', left: 0n });
  expect(() => ledger.createKey(RUN)).toThrow(/UNIQUE/);
  using db = new DatabaseSync(join(folder.path, LEDGER_FILE), { readOnly: true });
  expect(JSON.stringify(db.prepare('SELECT * FROM keys').all())).not.toContain(key.slice(-20));
  expect(statSync(join(folder.path, LEDGER_FILE)).mode & 0o777).toBe(0o600);
});

test("a run's spend has its tokens by kind, what was served, and how calls ended", () => {
  using folder = temporaryFolder();
  let now = 1_000;
  using ledger = new SqliteLedger(folder.path, { now: () => now++ });
  const key = ledger.createKey(RUN);
  const usage = { input: 1, cacheRead: 20, cacheWrite5m: 300, cacheWrite1h: 4_000, output: 50_000, reasoning: 600 };
  for (const id of ['a', 'b', 'c', 'd']) ledger.reserve(key, id, 100n, 100n);
  ledger.settle('a', settlement(7n, { usage, servedModel: 'one-2026-01-01', fingerprint: 'fp_1' }));
  ledger.settle('b', settlement(5n, { usage, servedModel: 'one-2026-02-02', fingerprint: 'fp_1', loweredOutputTo: 9 }));
  ledger.settle('c', settlement(0n, { failure: 'the provider broke off: reset' }));
  ledger.release('d', 529, 'Overloaded');
  expect(ledger.spend('run-1')).toEqual({
    runId: 'run-1',
    settings: '{}',
    model: 'model-one',
    revoked: false,
    budget: 1_000n,
    settled: 12n,
    reserved: 0n,
    uncertain: 0n,
    calls: 4,
    answered: 3,
    failed: 2,
    lastCall: { ok: false, status: 529, words: 'Overloaded' },
    usage: { input: 2, cacheRead: 40, cacheWrite5m: 600, cacheWrite1h: 8_000, output: 100_000, reasoning: 1_200 },
    servedModels: ['one-2026-01-01', 'one-2026-02-02'],
    fingerprints: ['fp_1'],
    budgetExhausted: false,
    lowered: 1,
    refusals: [],
  });
  expect(ledger.spend('run-2')).toBeUndefined();
  const calls = ledger.calls('run-1');
  expect(calls.map(({ callId, state, cost, words }) => [callId, state, cost, words])).toEqual([
    ['a', 'settled', 7n, undefined],
    ['b', 'settled', 5n, undefined],
    ['c', 'settled', 0n, 'the provider broke off: reset'],
    ['d', 'released', 0n, 'Overloaded'],
  ]);
  expect(calls[0]).toMatchObject({ usage, servedModel: 'one-2026-01-01', firstByteMs: 12.5, totalMs: 100 });
});

test('a run without calls has spent nothing', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  ledger.createKey(RUN);
  expect(ledger.spend('run-1')).toMatchObject({ calls: 0, settled: 0n, usage: NO_TOKENS, lastCall: undefined });
});

test('refusals are counted by field and value; an agent that makes up new ones fills no disk', () => {
  using folder = temporaryFolder();
  let now = 0;
  using ledger = new SqliteLedger(folder.path, { now: () => ++now });
  ledger.createKey(RUN);
  const refusal = { runId: 'run-1', protocol: 'gemini', code: 'field', field: 'cachedContent', found: 'x' } as const;
  ledger.recordRefusal(refusal);
  ledger.recordRefusal({ ...refusal, protocol: undefined, code: 'route', field: '/v1/files', found: 'POST' });
  ledger.recordRefusal(refusal);
  expect(ledger.spend('run-1')?.refusals).toEqual([
    { ...refusal, count: 2, lastAt: now },
    {
      runId: 'run-1',
      protocol: undefined,
      code: 'route',
      field: '/v1/files',
      found: 'POST',
      count: 1,
      lastAt: now - 1,
    },
  ]);
  for (let i = 0; i < 600; i++) ledger.recordRefusal({ ...refusal, found: `${i} ${'x'.repeat(1_000)}` });
  const all = ledger.refusals();
  expect(all.length).toBe(501);
  expect(all[0]).toMatchObject({ field: '…', found: '…', count: 102 });
  expect(Math.max(...all.map(({ found }) => found.length))).toBe(200);
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(603);
});

test('what a killed process had reserved stays counted, apart from the spend', () => {
  using folder = temporaryFolder();
  using killed = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'a', 300n, 300n);
  ledger.settle('a', settlement(100n));
  ledger.reserve(key, 'b', 400n, 400n);
  copyAsKilled(folder.path, killed.path);
  using next = new SqliteLedger(killed.path);
  expect(next.spend('run-1')).toMatchObject({ settled: 100n, uncertain: 400n, reserved: 0n, revoked: false });
  expect(next.liveRuns()).toEqual([RUN]);
  next.settle('b', settlement(1n));
  expect(next.reserve(key, 'c', 501n, 501n)).toEqual({ granted: false, reason: 'budget', left: 500n });
  expect(next.reserve(key, 'd', 500n, 500n)).toEqual({ granted: true, amount: 500n });
});

test('after a start of the machine the keys of before are revoked', () => {
  using folder = temporaryFolder();
  const spent = (boot: string) => {
    using ledger = new SqliteLedger(folder.path, { boot });
    return ledger.liveRuns().length;
  };
  {
    using ledger = new SqliteLedger(folder.path, { boot: 'one' });
    ledger.createKey(RUN);
  }
  expect([spent('one'), spent(''), spent('two')]).toEqual([1, 1, 0]);
});

test('one process writes a ledger; others may read it', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path);
  ledger.createKey(RUN);
  expect(codeOf(() => new SqliteLedger(folder.path))).toBe('busy');
  using reader = new DatabaseSync(join(folder.path, LEDGER_FILE), { readOnly: true });
  expect(reader.prepare('SELECT run_id FROM keys').get()).toEqual({ run_id: 'run-1' });
});

test('a ledger of a newer release is left alone', () => {
  using folder = temporaryFolder();
  new SqliteLedger(folder.path).close();
  const db = new DatabaseSync(join(folder.path, LEDGER_FILE));
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(codeOf(() => new SqliteLedger(folder.path))).toBe('version');
});

test('grouped writes are in the file when `durable` says so, and all of those of one turn together', async () => {
  using folder = temporaryFolder();
  using killed = temporaryFolder();
  using ledger = new SqliteLedger(folder.path, { grouped: true });
  const key = ledger.createKey(RUN);
  const ids = ['a', 'b', 'c'];
  for (const id of ids) ledger.reserve(key, id, 10n, 1n);
  ledger.settle('a', settlement(4n));
  expect(ledger.spend(RUN.runId)).toMatchObject({ settled: 4n, reserved: 20n });
  await ledger.durable();
  copyAsKilled(folder.path, killed.path);
  using next = new SqliteLedger(killed.path);
  expect(next.spend(RUN.runId)).toMatchObject({ settled: 4n, uncertain: 20n, calls: 3 });
});

describe('the log of what was committed', () => {
  const sizes = (dir: string) => [LEDGER_FILE, `${LEDGER_FILE}-wal`].map((name) => statSync(join(dir, name)).size);

  async function call(ledger: SqliteLedger, key: string, times: number): Promise<void> {
    for (let at = 0; at < times; at++) {
      ledger.reserve(key, String(at), 1n, 1n);
      await ledger.durable();
      ledger.settle(String(at), settlement(0n));
      await ledger.durable();
    }
  }

  test('goes into the file when no call is under way, and then begins anew', async () => {
    using folder = temporaryFolder();
    using ledger = new SqliteLedger(folder.path, { grouped: true });
    const key = ledger.createKey(RUN);
    await call(ledger, key, 500);
    ledger.reserve(key, 'open', 1n, 1n);
    await ledger.durable();
    const [file = 0, log = 0] = sizes(folder.path);
    await delay(700);
    expect(sizes(folder.path)).toEqual([file, log]);
    ledger.release('open', 0, 'over');
    await vi.waitFor(() => expect(sizes(folder.path)[0]).toBeGreaterThan(file + 10_000), { timeout: 5_000 });
    await call(ledger, key, 100);
    expect(sizes(folder.path)[1]).toBeLessThanOrEqual(log + 20_000);
  });

  test('is bounded although a call is always under way', () => {
    using folder = temporaryFolder();
    using ledger = new SqliteLedger(folder.path);
    const key = ledger.createKey({ ...RUN, budget: 1_000_000n });
    ledger.reserve(key, 'open', 1n, 1n);
    for (let at = 0; at < 20_000; at++) {
      ledger.reserve(key, String(at), 1n, 1n);
      ledger.settle(String(at), settlement(0n));
    }
    const [file = 0, log = 0] = sizes(folder.path);
    expect(file).toBeGreaterThan(100_000);
    expect(log).toBeLessThan(36_000_000);
  });
});

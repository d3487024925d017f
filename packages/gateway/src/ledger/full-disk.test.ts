import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { LEDGER_FILE } from './database.ts';
import { SqliteLedger } from './sqlite-ledger.ts';
import { RUN, settlement, temporaryFolder } from './test-ledger.ts';

test('what a commit that failed was to settle is settled by the next one, and what it was to open is not', async () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path, { grouped: true });
  const key = ledger.createKey(RUN);
  ledger.reserve(key, 'ended', 500n, 500n);
  await ledger.durable();
  using file = new DatabaseSync(join(folder.path, LEDGER_FILE));
  file.exec(`CREATE TRIGGER full BEFORE UPDATE ON keys BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
  ledger.settle('ended', settlement(40n));
  ledger.reserve(key, 'begun', 100n, 100n);
  ledger.reserve(key, 'both', 100n, 100n);
  ledger.settle('both', settlement(7n));
  await expect(ledger.durable()).rejects.toThrow('the disk is full');
  expect(ledger.spend(RUN.runId)).toMatchObject({ settled: 0n, reserved: 500n, calls: 1 });
  file.exec('DROP TRIGGER full');
  ledger.settle('begun', settlement(9n));
  ledger.revoke(RUN.runId);
  expect(ledger.spend(RUN.runId)).toMatchObject({ settled: 40n, reserved: 0n, uncertain: 0n, calls: 1 });
});

describe('when the database gives up a commit that is under way, as it does when the disk is full', () => {
  /** RAISE(ROLLBACK) ends the transaction as SQLITE_FULL does. */
  const fullAt = (table: string) =>
    `CREATE TRIGGER full BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ROLLBACK, 'the disk is full'); END`;

  test('by a refusal: calls are booked once, and the sums are right', async () => {
    using folder = temporaryFolder();
    using ledger = new SqliteLedger(folder.path, { grouped: true });
    const key = ledger.createKey(RUN);
    ledger.reserve(key, 'a', 100n, 1n);
    await ledger.durable();
    using file = new DatabaseSync(join(folder.path, LEDGER_FILE));
    file.exec(fullAt('refusals'));
    ledger.reserve(key, 'b', 100n, 1n);
    const refusal = { runId: RUN.runId, protocol: undefined, code: 'field', field: 'n', found: '2' };
    expect(() => ledger.recordRefusal(refusal)).toThrow('the disk is full');
    ledger.settle('a', settlement(30n));
    await ledger.durable();
    file.exec('DROP TRIGGER full');
    ledger.reserve(key, 'c', 10n, 1n);
    await ledger.durable();
    expect(ledger.spend(RUN.runId)).toMatchObject({ settled: 30n, reserved: 110n, calls: 3 });
    expect(ledger.calls(RUN.runId).map(({ callId, state }) => `${callId} ${state}`)).toEqual([
      'a settled',
      'b open',
      'c open',
    ]);
  });

  test('by the end of a call: it is written by the next commit, once, and what was to be opened is not', async () => {
    using folder = temporaryFolder();
    using ledger = new SqliteLedger(folder.path, { grouped: true });
    const key = ledger.createKey(RUN);
    ledger.reserve(key, 'a', 100n, 1n);
    await ledger.durable();
    using file = new DatabaseSync(join(folder.path, LEDGER_FILE));
    file.exec(fullAt('calls'));
    ledger.reserve(key, 'b', 100n, 1n);
    const begun = ledger.durable();
    expect(() => ledger.settle('a', settlement(30n))).toThrow('the disk is full');
    await expect(begun).rejects.toThrow('the disk is full');
    ledger.settle('b', settlement(1n));
    file.exec('DROP TRIGGER full');
    ledger.revoke(RUN.runId);
    expect(ledger.spend(RUN.runId)).toMatchObject({ settled: 30n, reserved: 0n, calls: 1 });
  });
});

test('a ledger that cannot write its last calls is closed all the same: another one takes it up', () => {
  using folder = temporaryFolder();
  const ledger = new SqliteLedger(folder.path, { grouped: true });
  const key = ledger.createKey(RUN);
  using file = new DatabaseSync(join(folder.path, LEDGER_FILE));
  file.exec(`CREATE TRIGGER full BEFORE UPDATE ON keys BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
  ledger.reserve(key, 'a', 100n, 1n);
  expect(() => ledger.close()).toThrow('the disk is full');
  file.exec('DROP TRIGGER full');
  using next = new SqliteLedger(folder.path);
  expect(next.spend(RUN.runId)).toMatchObject({ reserved: 0n, uncertain: 0n, calls: 0 });
});

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { LEDGER_FILE } from './database.ts';
import { SqliteLedger } from './sqlite-ledger.ts';
import { temporaryFolder } from './test-ledger.ts';

/** As the release with version 1 made them, but for columns that have a default, or may be missing. */
const VERSION_1 = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (
    id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, hash BLOB NOT NULL UNIQUE, model TEXT NOT NULL, settings TEXT NOT NULL,
    created_at INTEGER NOT NULL, revoked INTEGER NOT NULL DEFAULT 0, concurrency INTEGER NOT NULL,
    open_calls INTEGER NOT NULL DEFAULT 0, budget INTEGER NOT NULL, settled INTEGER NOT NULL DEFAULT 0,
    reserved INTEGER NOT NULL DEFAULT 0, uncertain INTEGER NOT NULL DEFAULT 0, exhausted INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY, call_id TEXT NOT NULL, key_id INTEGER NOT NULL, state TEXT NOT NULL, started_at INTEGER NOT NULL,
    ended_at INTEGER, reserved INTEGER NOT NULL, cost INTEGER NOT NULL DEFAULT 0, uncertain INTEGER NOT NULL DEFAULT 0,
    input INTEGER NOT NULL DEFAULT 0, cache_read INTEGER NOT NULL DEFAULT 0, cache_write_5m INTEGER NOT NULL DEFAULT 0,
    cache_write_1h INTEGER NOT NULL DEFAULT 0, output INTEGER NOT NULL DEFAULT 0, reasoning INTEGER NOT NULL DEFAULT 0,
    served_model TEXT, fingerprint TEXT, status INTEGER, words TEXT, lowered_to INTEGER, first_byte_ms REAL, total_ms REAL
  ) STRICT;
  CREATE INDEX calls_of_key ON calls (key_id);
  CREATE TABLE refusals (
    run_id TEXT NOT NULL, protocol TEXT NOT NULL, code TEXT NOT NULL, field TEXT NOT NULL, found TEXT NOT NULL,
    count INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (run_id, protocol, code, field, found)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO keys (id, run_id, hash, model, settings, created_at, concurrency, open_calls, budget, settled, reserved) VALUES
    (1, 'one', x'01', 'm', '{}', 5, 4, 2, 1000, 30, 300),
    (2, 'two', x'02', 'm', '{}', 6, 4, 0, 1000, 7, 0);
  INSERT INTO calls (id, call_id, key_id, state, started_at, ended_at, reserved, cost, output, served_model, status) VALUES
    (1, 'a', 1, 'settled', 10, 20, 100, 30, 3, 'm-1', 200),
    (2, 'b', 2, 'settled', 11, 21, 100, 7, 4, 'm-2', 200),
    (3, 'c', 1, 'open', 12, NULL, 100, 0, 0, NULL, NULL),
    (4, 'd', 1, 'released', 13, NULL, 100, 0, 0, NULL, 500),
    (5, 'e', 1, 'open', 14, NULL, 200, 0, 0, NULL, NULL);
  INSERT INTO refusals VALUES ('one', 'openai-chat', 'field', 'n', '2', 3, 9);
  PRAGMA user_version = 1;
`;

test('a ledger of version 1 is taken over with all that it holds', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, LEDGER_FILE);
  using old = new DatabaseSync(file);
  old.exec(VERSION_1);
  old.close();
  for (let opened = 0; opened < 2; opened++) {
    using ledger = new SqliteLedger(folder.path, { now: () => 99 });
    expect(ledger.liveRuns().map(({ runId }) => runId)).toEqual(['one', 'two']);
    expect(ledger.spend('one')).toMatchObject({ calls: 4, answered: 1, settled: 30n, reserved: 0n, uncertain: 300n });
    expect(ledger.spend('one')?.refusals).toHaveLength(1);
    expect(ledger.spend('two')).toMatchObject({ calls: 1, settled: 7n, servedModels: ['m-2'], usage: { output: 4 } });
    expect(ledger.calls('one').map(({ callId, state, uncertain }) => `${callId} ${state} ${uncertain}`)).toEqual([
      'a settled 0',
      'c lost 100',
      'd released 0',
      'e lost 200',
    ]);
  }
  using upgraded = new DatabaseSync(file, { readOnly: true });
  expect(upgraded.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).all()).toEqual([
    { name: 'calls' },
    { name: 'keys' },
    { name: 'meta' },
    { name: 'refusals' },
  ]);
});

test('calls are told in the order in which they began, in one millisecond or not, with those that are under way', () => {
  using folder = temporaryFolder();
  using ledger = new SqliteLedger(folder.path, { now: () => 5 });
  const keys = ['one', 'two'].map((runId) =>
    ledger.createKey({ runId, model: 'm', budget: 1000n, concurrency: 9, settings: '{}' }),
  );
  for (const [index, callId] of ['a', 'b', 'c', 'd'].entries()) ledger.reserve(keys[index % 2] ?? '', callId, 10n, 10n);
  for (const callId of ['d', 'c', 'b']) ledger.release(callId, 500, 'over');
  expect(ledger.calls('one').map(({ callId, state }) => `${callId} ${state}`)).toEqual(['a open', 'c released']);
  expect(ledger.calls('two').map(({ callId, state }) => `${callId} ${state}`)).toEqual(['b released', 'd released']);
  expect(ledger.calls('three')).toEqual([]);
});

test('a line of open calls that is none is told: its reservation would stay for good', () => {
  using folder = temporaryFolder();
  new SqliteLedger(folder.path).close();
  using file = new DatabaseSync(join(folder.path, LEDGER_FILE));
  file.exec(`INSERT INTO keys (run_id, hash, model, settings, created_at, concurrency, open_calls, budget)
    VALUES ('one', x'01', 'm', '{}', 5, 4, 'what is this', 1000)`);
  expect(() => new SqliteLedger(folder.path)).toThrow('open_calls has a line that is no call: "what is this"');
});

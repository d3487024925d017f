import type { DatabaseSync } from 'node:sqlite';

/**
 * Money is in nano-dollars. `open_calls` of a key: its calls that are under way, a line `id started_at reserved call_id` for each.
 * A call has its row when it has ended: `settled`, `released`, or `lost` with the process that made it. Its `id` is
 * `key's id << 32 | number`, in the order in which they began, so that the calls of a run lie side by side and need no index.
 */
const KEYS_AND_CALLS = `
  CREATE TABLE keys (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL UNIQUE,
    model TEXT NOT NULL,
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked INTEGER NOT NULL DEFAULT 0,
    concurrency INTEGER NOT NULL,
    open_calls TEXT NOT NULL DEFAULT '',
    budget INTEGER NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    reserved INTEGER NOT NULL DEFAULT 0,
    uncertain INTEGER NOT NULL DEFAULT 0,
    exhausted INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    call_id TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    state TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    cost INTEGER NOT NULL DEFAULT 0,
    uncertain INTEGER NOT NULL DEFAULT 0,
    input INTEGER NOT NULL DEFAULT 0,
    cache_read INTEGER NOT NULL DEFAULT 0,
    cache_write_5m INTEGER NOT NULL DEFAULT 0,
    cache_write_1h INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0,
    reasoning INTEGER NOT NULL DEFAULT 0,
    served_model TEXT,
    fingerprint TEXT,
    status INTEGER,
    words TEXT,
    lowered_to INTEGER,
    first_byte_ms REAL,
    total_ms REAL
  ) STRICT;
`;

const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  ${KEYS_AND_CALLS}
  CREATE TABLE refusals (
    run_id TEXT NOT NULL,
    protocol TEXT NOT NULL,
    code TEXT NOT NULL,
    field TEXT NOT NULL,
    found TEXT NOT NULL,
    count INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, protocol, code, field, found)
  ) STRICT, WITHOUT ROWID;
`;

/** Of version 1, where a call had a row from its begin, and an index found those of a key. */
const FROM_VERSION_1 = `
  ALTER TABLE keys RENAME TO keys_1;
  ALTER TABLE calls RENAME TO calls_1;
  ${KEYS_AND_CALLS}
  CREATE TABLE numbered AS
    SELECT *, (key_id << 32) + row_number() OVER (PARTITION BY key_id ORDER BY id) AS new_id FROM calls_1;
  INSERT INTO keys
    SELECT id, run_id, hash, model, settings, created_at, revoked, concurrency, coalesce(lines, ''), budget, settled, reserved,
      uncertain, exhausted
    FROM keys_1 LEFT JOIN (
      SELECT key_id, group_concat(new_id || ' ' || started_at || ' ' || reserved || ' ' || call_id, char(10)) AS lines
      FROM numbered WHERE state = 'open' GROUP BY key_id
    ) ON key_id = keys_1.id;
  INSERT INTO calls
    SELECT new_id, call_id, started_at, reserved, state, coalesce(ended_at, started_at), cost, uncertain, input, cache_read,
      cache_write_5m, cache_write_1h, output, reasoning, served_model, fingerprint, status, words, lowered_to, first_byte_ms,
      total_ms
    FROM numbered WHERE state <> 'open';
  DROP TABLE numbered;
  DROP TABLE calls_1;
  DROP TABLE keys_1;
`;

/** What a ledger file of this release says it is. */
export const VERSION = 2;

/** By the version that a file has; 0: a new one. */
const UPGRADES: Readonly<Record<number, string>> = { 0: SCHEMA, 1: FROM_VERSION_1 };

/** Brings a file to this release's tables. To be called within a transaction. @param version of the file, at most `VERSION` */
export function upgrade(db: DatabaseSync, version: number): void {
  const statements = UPGRADES[version];
  if (statements !== undefined) db.exec(`${statements}; PRAGMA user_version = ${VERSION}`);
}

/** SQL for the calls of one key, whose id is the statement's first value. */
export const OF_KEY = 'calls.id BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295';

/** The id before that of the first call of a key. */
export function noCallOf(keyId: bigint): bigint {
  return keyId << 32n;
}

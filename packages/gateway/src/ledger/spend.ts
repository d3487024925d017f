import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunSpend } from '../server/ports.ts';
import type { RefusalBook } from './refusals.ts';
import { type Row, readKeyRow, text, whole } from './rows.ts';
import { OF_KEY } from './schema.ts';

/** A provider that names a new model or fingerprint with every answer does not make the record large. */
const MOST_NAMES = 50;

/** Reads what a run has spent. */
export class SpendReader {
  readonly #key: StatementSync;
  readonly #totals: StatementSync;
  readonly #last: StatementSync;
  readonly #models: StatementSync;
  readonly #fingerprints: StatementSync;
  readonly #refusals: RefusalBook;

  constructor(db: DatabaseSync, refusals: RefusalBook) {
    const names = (column: string) =>
      db.prepare(
        `SELECT ${column} AS name FROM calls WHERE ${OF_KEY} AND ${column} IS NOT NULL GROUP BY ${column} ORDER BY min(started_at), ${column} LIMIT ${MOST_NAMES}`,
      );
    this.#key = db.prepare('SELECT * FROM keys WHERE run_id = ?');
    this.#key.setReadBigInts(true);
    this.#totals = db.prepare(TOTALS);
    this.#totals.setReadBigInts(true);
    this.#last = db.prepare(LAST_CALL);
    this.#models = names('served_model');
    this.#fingerprints = names('fingerprint');
    this.#refusals = refusals;
  }

  ofRun(runId: string): RunSpend | undefined {
    const found = this.#key.get(runId);
    if (!found) return undefined;
    const key = readKeyRow(found);
    const totals = this.#totals.get(key.id) ?? {};
    const count = (column: string) => Number(whole(totals, column));
    return {
      runId,
      settings: key.settings,
      model: key.model,
      revoked: key.revoked,
      budget: key.budget,
      settled: key.settled,
      reserved: key.reserved,
      uncertain: key.uncertain,
      calls: count('calls') + key.openCalls.size,
      answered: count('answered'),
      failed: count('failed'),
      lastCall: lastCall(this.#last.get(key.id)),
      usage: {
        input: count('input'),
        cacheRead: count('cache_read'),
        cacheWrite5m: count('cache_write_5m'),
        cacheWrite1h: count('cache_write_1h'),
        output: count('output'),
        reasoning: count('reasoning'),
      },
      servedModels: namesIn(this.#models.all(key.id)),
      fingerprints: namesIn(this.#fingerprints.all(key.id)),
      budgetExhausted: key.exhausted,
      lowered: count('lowered'),
      refusals: this.#refusals.ofRun(runId),
    };
  }
}

/** By the provider's doing; a client that went away is no failure, answered or not. Source: `Settlement.failure`. */
const FAILED = `(state IN ('released', 'settled') AND
  (status <> 0 AND status NOT BETWEEN 200 AND 299 OR coalesce(words, '') LIKE 'the provider%'))`;

const TOTALS = `
  SELECT count(*) AS calls,
    count(*) FILTER (WHERE state = 'settled' AND status BETWEEN 200 AND 299) AS answered,
    count(*) FILTER (WHERE ${FAILED}) AS failed,
    count(lowered_to) AS lowered,
    coalesce(sum(input), 0) AS input,
    coalesce(sum(cache_read), 0) AS cache_read,
    coalesce(sum(cache_write_5m), 0) AS cache_write_5m,
    coalesce(sum(cache_write_1h), 0) AS cache_write_1h,
    coalesce(sum(output), 0) AS output,
    coalesce(sum(reasoning), 0) AS reasoning
  FROM calls WHERE ${OF_KEY}`;

const LAST_CALL = `
  SELECT NOT ${FAILED} AS ok, status, coalesce(words, '') AS words FROM calls
  WHERE ${OF_KEY} AND state IN ('settled', 'released') ORDER BY ended_at DESC, id DESC LIMIT 1`;

function lastCall(row: Row | undefined): RunSpend['lastCall'] {
  return row && { ok: row['ok'] === 1, status: Number(row['status']), words: text(row, 'words') };
}

function namesIn(rows: readonly Row[]): string[] {
  return rows.map((row) => text(row, 'name'));
}

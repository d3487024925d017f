import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { LedgerCall } from '../server/ports.ts';
import { type Row, text, whole } from './rows.ts';

const STATES: readonly LedgerCall['state'][] = ['open', 'settled', 'released', 'lost'];

/** Reads the calls of a run. */
export class CallList {
  readonly #calls: StatementSync;

  constructor(db: DatabaseSync) {
    this.#calls = db.prepare(
      'SELECT calls.* FROM calls JOIN keys ON keys.id = calls.key_id WHERE keys.run_id = ? ORDER BY calls.id',
    );
    this.#calls.setReadBigInts(true);
  }

  ofRun(runId: string): readonly LedgerCall[] {
    return this.#calls.all(runId).map(readCall);
  }
}

function readCall(row: Row): LedgerCall {
  const count = (column: string) => Number(whole(row, column));
  return {
    callId: text(row, 'call_id'),
    state: STATES.find((state) => state === row['state']) ?? 'lost',
    startedAt: count('started_at'),
    status: numberIn(row['status']),
    words: textIn(row['words']),
    servedModel: textIn(row['served_model']),
    cost: whole(row, 'cost'),
    uncertain: whole(row, 'uncertain'),
    usage: {
      input: count('input'),
      cacheRead: count('cache_read'),
      cacheWrite5m: count('cache_write_5m'),
      cacheWrite1h: count('cache_write_1h'),
      output: count('output'),
      reasoning: count('reasoning'),
    },
    firstByteMs: numberIn(row['first_byte_ms']),
    totalMs: numberIn(row['total_ms']),
  };
}

function numberIn(value: SQLOutputValue | undefined): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function textIn(value: SQLOutputValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

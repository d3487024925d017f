import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { LedgerCall } from '../server/ports.ts';
import { type OpenCall, type Row, readKeyRow, text, whole } from './rows.ts';
import { OF_KEY } from './schema.ts';

const STATES: readonly LedgerCall['state'][] = ['settled', 'released', 'lost'];

/** Reads the calls of a run, in the order in which they were begun. */
export class CallList {
  readonly #key: StatementSync;
  readonly #ended: StatementSync;

  constructor(db: DatabaseSync) {
    this.#key = db.prepare('SELECT * FROM keys WHERE run_id = ?');
    this.#ended = db.prepare(`SELECT * FROM calls WHERE ${OF_KEY}`);
    for (const statement of [this.#key, this.#ended]) statement.setReadBigInts(true);
  }

  ofRun(runId: string): readonly LedgerCall[] {
    const found = this.#key.get(runId);
    if (found === undefined) return [];
    const key = readKeyRow(found);
    const ended = this.#ended.all(key.id).map((row) => ({ id: whole(row, 'id'), call: readCall(row) }));
    const open = Array.from(key.openCalls.values(), (call) => ({ id: call.id, call: openCall(call) }));
    return [...ended, ...open].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ call }) => call);
  }
}

function openCall({ callId, startedAt }: OpenCall): LedgerCall {
  return {
    callId,
    state: 'open',
    startedAt,
    status: undefined,
    words: undefined,
    servedModel: undefined,
    cost: 0n,
    uncertain: 0n,
    usage: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 },
    firstByteMs: undefined,
    totalMs: undefined,
  };
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

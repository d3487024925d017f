import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { KeyInfo, NanoUsd, Usage } from '../server/ports.ts';

export type Row = Record<string, SQLOutputValue>;

/** A row of `keys`. */
export interface KeyRow extends KeyInfo {
  readonly id: bigint;
  readonly revoked: boolean;
  readonly openCalls: number;
  readonly settled: NanoUsd;
  readonly reserved: NanoUsd;
  readonly uncertain: NanoUsd;
  readonly exhausted: boolean;
}

/** How a call ends in the ledger. */
export interface CallEnd {
  readonly state: 'settled' | 'released';
  readonly cost: NanoUsd;
  readonly uncertain: NanoUsd;
  readonly status: number;
  /** Why the answer is not whole, or not there. */
  readonly words: string | undefined;
  readonly tokens?: Usage;
  readonly servedModel?: string | undefined;
  readonly fingerprint?: string | undefined;
  readonly loweredTo?: number | undefined;
  readonly firstByteMs?: number | undefined;
  readonly totalMs?: number;
}

/** Characters of a provider's words that are kept. */
const LONGEST_WORDS = 500;

/** The values of a call's columns from `state` to `total_ms`. */
export function endColumns(end: CallEnd, endedAt: number): SQLInputValue[] {
  const { tokens } = end;
  return [
    end.state,
    endedAt,
    end.cost,
    end.uncertain,
    tokens?.input ?? 0,
    tokens?.cacheRead ?? 0,
    tokens?.cacheWrite5m ?? 0,
    tokens?.cacheWrite1h ?? 0,
    tokens?.output ?? 0,
    tokens?.reasoning ?? 0,
    end.servedModel ?? null,
    end.fingerprint ?? null,
    end.status,
    end.words?.slice(0, LONGEST_WORDS) ?? null,
    end.loweredTo ?? null,
    end.firstByteMs ?? null,
    end.totalMs ?? null,
  ];
}

/** @param row of a statement that reads integers as bigints */
export function readKeyRow(row: Row): KeyRow {
  return {
    id: whole(row, 'id'),
    runId: text(row, 'run_id'),
    model: text(row, 'model'),
    settings: text(row, 'settings'),
    revoked: whole(row, 'revoked') === 1n,
    concurrency: Number(whole(row, 'concurrency')),
    openCalls: Number(whole(row, 'open_calls')),
    budget: whole(row, 'budget'),
    settled: whole(row, 'settled'),
    reserved: whole(row, 'reserved'),
    uncertain: whole(row, 'uncertain'),
    exhausted: whole(row, 'exhausted') === 1n,
  };
}

export function keyInfo({ runId, model, budget, concurrency, settings }: KeyRow): KeyInfo {
  return { runId, model, budget, concurrency, settings };
}

export function whole(row: Row, column: string): bigint {
  const value = row[column];
  if (typeof value !== 'bigint') throw new TypeError(`${column} is no integer`);
  return value;
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`${column} is no text`);
  return value;
}

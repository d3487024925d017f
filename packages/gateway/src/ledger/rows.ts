import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { KeyInfo, NanoUsd, Usage } from '../server/ports.ts';

export type Row = Record<string, SQLOutputValue>;

/** A call that is under way, in the file with its key. */
export interface OpenCall {
  /** Of its row, which it has when it has ended. */
  readonly id: bigint;
  readonly callId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly reserved: NanoUsd;
}

/** A row of `keys`. */
export interface KeyRow extends KeyInfo {
  readonly id: bigint;
  readonly revoked: boolean;
  readonly openCalls: ReadonlyMap<string, OpenCall>;
  readonly settled: NanoUsd;
  readonly reserved: NanoUsd;
  readonly uncertain: NanoUsd;
  readonly exhausted: boolean;
}

/** How a call ends in the ledger. */
export interface CallEnd {
  readonly state: 'settled' | 'released' | 'lost';
  readonly cost: NanoUsd;
  readonly uncertain: NanoUsd;
  /** Undefined: nobody knows. */
  readonly status: number | undefined;
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

const CALL_COLUMNS = [
  'id, call_id, started_at, reserved, state, ended_at, cost, uncertain',
  'input, cache_read, cache_write_5m, cache_write_1h, output, reasoning',
  'served_model, fingerprint, status, words, lowered_to, first_byte_ms, total_ms',
].join(', ');

/** Takes what `callColumns` gives. */
export const INSERT_CALL = `INSERT INTO calls (${CALL_COLUMNS}) VALUES (${CALL_COLUMNS.replace(/\w+/g, '?')})`;

/** The row of a call that ended. */
export function callColumns(
  { id, callId, startedAt, reserved }: OpenCall,
  end: CallEnd,
  endedAt: number,
): SQLInputValue[] {
  const { tokens } = end;
  return [
    id,
    callId,
    startedAt,
    reserved,
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
    end.status ?? null,
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
    openCalls: readOpenCalls(text(row, 'open_calls')),
    budget: whole(row, 'budget'),
    settled: whole(row, 'settled'),
    reserved: whole(row, 'reserved'),
    uncertain: whole(row, 'uncertain'),
    exhausted: whole(row, 'exhausted') === 1n,
  };
}

/** As `keys.open_calls` has them. */
export function openCallsText(calls: ReadonlyMap<string, OpenCall>): string {
  let lines = '';
  for (const { id, startedAt, reserved, callId } of calls.values())
    lines += `${id} ${startedAt} ${reserved} ${callId}\n`;
  return lines;
}

const OPEN_CALL = /^(\d+) (\d+) (\d+) (.+)$/s;

function readOpenCalls(lines: string): Map<string, OpenCall> {
  const calls = lines.split('\n').filter((line) => line !== '');
  return new Map(calls.map(readOpenCall).map((call) => [call.callId, call]));
}

function readOpenCall(line: string): OpenCall {
  const [, id, startedAt, reserved, callId] = OPEN_CALL.exec(line) ?? [];
  if (id === undefined || reserved === undefined || callId === undefined)
    throw new TypeError(`open_calls has a line that is no call: ${JSON.stringify(line)}`);
  return { id: BigInt(id), startedAt: Number(startedAt), reserved: BigInt(reserved), callId };
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

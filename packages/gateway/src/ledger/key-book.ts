import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { NanoUsd } from '../server/ports.ts';
import { type KeyRow, type OpenCall, openCallsText, readKeyRow } from './rows.ts';
import { keyHash } from './run-key.ts';
import { noCallOf, OF_KEY } from './schema.ts';

/** A key as it will stand in the file when the writes of this moment are committed. */
type LiveKey = { -readonly [Column in keyof Omit<KeyRow, 'openCalls'>]: KeyRow[Column] } & {
  readonly openCalls: Map<string, OpenCall>;
  /** The id of the call of this key that began last. */
  lastCall: bigint;
};

/** How a key changes. Missing: not. */
export interface KeyChange {
  /** Its reservation is given back. */
  readonly ended?: OpenCall;
  readonly settled?: NanoUsd;
  readonly uncertain?: NanoUsd;
  readonly exhausted?: boolean;
}

/** Keys of runs that are over: nobody asks for them again. */
const MOST_KNOWN = 1000;

/**
 * The keys' rows in memory: no other process writes the file, so that what was read once stays true. Many changes of a key
 * become one write, before the commit that they belong to.
 */
export class KeyBook {
  readonly #find: StatementSync;
  readonly #read: StatementSync;
  readonly #lastCall: StatementSync;
  readonly #write: StatementSync;
  readonly #ids = new Map<string, bigint>();
  readonly #known = new Map<bigint, LiveKey>();
  readonly #changed = new Set<LiveKey>();

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT * FROM keys WHERE hash = ?');
    this.#read = db.prepare('SELECT * FROM keys WHERE id = ?');
    this.#lastCall = db.prepare(`SELECT max(id) AS id FROM calls WHERE ${OF_KEY}`);
    this.#write = db.prepare(
      'UPDATE keys SET reserved = ?, settled = ?, uncertain = ?, open_calls = ?, exhausted = ? WHERE id = ?',
    );
    for (const statement of [this.#find, this.#read, this.#lastCall]) statement.setReadBigInts(true);
  }

  find(key: string): KeyRow | undefined {
    const id = this.#ids.get(key);
    if (id !== undefined) return this.#byId(id);
    const found = this.#find.get(keyHash(key));
    if (found === undefined) return undefined;
    if (this.#ids.size >= MOST_KNOWN) this.#ids.clear();
    const row = readKeyRow(found);
    this.#ids.set(key, row.id);
    return this.#byId(row.id);
  }

  /** Adds a call that begins, with its reservation. To be called within a transaction. */
  open(id: bigint, call: Omit<OpenCall, 'id'>): OpenCall {
    const row = this.#byId(id);
    row.lastCall += 1n;
    const opened = { ...call, id: row.lastCall };
    row.openCalls.set(call.callId, opened);
    row.reserved += call.reserved;
    this.#changed.add(row);
    return opened;
  }

  /** To be called within a transaction. */
  change(id: bigint, { ended, settled = 0n, uncertain = 0n, exhausted }: KeyChange): void {
    const row = this.#byId(id);
    if (ended !== undefined && row.openCalls.delete(ended.callId)) row.reserved -= ended.reserved;
    row.settled += settled;
    row.uncertain += uncertain;
    row.exhausted ||= exhausted ?? false;
    this.#changed.add(row);
  }

  /** Writes what changed. To be called before each commit. */
  write(): void {
    for (const { id, reserved, settled, uncertain, openCalls, exhausted } of this.#changed) {
      this.#write.run(reserved, settled, uncertain, openCallsText(openCalls), exhausted ? 1 : 0, id);
    }
    this.#changed.clear();
    if (this.#known.size >= MOST_KNOWN) this.forget();
  }

  /** Reads every key again when it is next asked for: the file has other rows now, or what changed was undone. */
  forget(): void {
    this.#changed.clear();
    this.#known.clear();
  }

  #byId(id: bigint): LiveKey {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const row = readKeyRow(this.#read.get(id) ?? {});
    const ended = this.#lastCall.get(id)?.['id'];
    let lastCall = typeof ended === 'bigint' ? ended : noCallOf(id);
    for (const call of row.openCalls.values()) if (call.id > lastCall) lastCall = call.id;
    const key = { ...row, openCalls: new Map(row.openCalls), lastCall };
    this.#known.set(id, key);
    return key;
  }
}

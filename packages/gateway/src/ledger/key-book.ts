import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { NanoUsd } from '../server/ports.ts';
import { type KeyRow, readKeyRow } from './rows.ts';
import { keyHash } from './run-key.ts';

/** A key as it will stand in the file when the writes of this moment are committed. */
type LiveKey = { -readonly [Column in keyof KeyRow]: KeyRow[Column] };

/** How a key's sums change. Missing: not. */
export interface KeyChange {
  readonly openCalls?: number;
  readonly reserved?: NanoUsd;
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
  readonly #write: StatementSync;
  readonly #ids = new Map<string, bigint>();
  readonly #known = new Map<bigint, LiveKey>();
  readonly #changed = new Set<LiveKey>();

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT * FROM keys WHERE hash = ?');
    this.#read = db.prepare('SELECT * FROM keys WHERE id = ?');
    this.#write = db.prepare(
      'UPDATE keys SET reserved = ?, settled = ?, uncertain = ?, open_calls = ?, exhausted = ? WHERE id = ?',
    );
    for (const statement of [this.#find, this.#read]) statement.setReadBigInts(true);
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

  /** To be called within a transaction. */
  change(id: bigint, { openCalls = 0, reserved = 0n, settled = 0n, uncertain = 0n, exhausted }: KeyChange): void {
    const row = this.#byId(id);
    row.openCalls += openCalls;
    row.reserved += reserved;
    row.settled += settled;
    row.uncertain += uncertain;
    row.exhausted ||= exhausted ?? false;
    this.#changed.add(row);
  }

  /** Writes what changed. To be called before each commit. */
  write(): void {
    for (const { id, reserved, settled, uncertain, openCalls, exhausted } of this.#changed) {
      this.#write.run(reserved, settled, uncertain, openCalls, exhausted ? 1 : 0, id);
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
    this.#known.set(id, row);
    return row;
  }
}

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { upgrade, VERSION } from './schema.ts';

/** Source: sqlite.org/rescode.html */
const SQLITE_BUSY = 5;

/** The file in a state directory that holds the ledger. */
export const LEDGER_FILE = 'ledger.db';

export class LedgerError extends Error {
  readonly code: 'busy' | 'version';

  constructor(code: LedgerError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LedgerError';
    this.code = code;
  }
}

/**
 * Small pages: a commit writes every page that it touches, for a few short rows. A log of 32 MB is put into the file by a commit,
 * which takes tens of milliseconds, unless `Checkpoints` did it before.
 */
const SETTINGS =
  'PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 32000';

/** An open ledger file that no other process writes; `close` gives it up. */
export interface LedgerDatabase {
  readonly db: DatabaseSync;
  close(): void;
}

/**
 * Opens the ledger of a state directory and makes it when there is none. A commit is in the kernel's hands when it returns:
 * it outlives this process's death at any moment (WAL, `synchronous=NORMAL`). The last ones can be lost with the machine;
 * the ledger revokes the keys of before then, so that what was lost can't be spent twice.
 * @throws LedgerError `busy`: another process writes it; `version`: a newer release has written it
 */
export function openLedgerFile(dir: string): LedgerDatabase {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = lockDirectory(dir);
  try {
    const path = join(dir, LEDGER_FILE);
    closeSync(openSync(path, 'a', 0o600));
    const db = new DatabaseSync(path);
    try {
      db.exec(SETTINGS);
      createTables(db);
    } catch (error) {
      db.close();
      throw error;
    }
    return {
      db,
      close() {
        db.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Runs its argument in one commit, or undoes all of it when that throws. */
export type Transaction = <T>(part: () => T) => T;

export function transactions(db: DatabaseSync): Transaction {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  return (part) => {
    begin.run();
    try {
      const result = part();
      commit.run();
      return result;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  };
}

/** SQLite does so when a statement, be it of nobody's part, finds the disk full. Source: sqlite.org/lang_transaction.html */
const UNDONE = 'the database undid the transaction: its disk may be full';

/** A commit waits no longer, whatever comes: a busy turn of the event loop takes a fraction of a millisecond. */
const MOST_TURNS = 4;

/**
 * Transactions that share a commit with those of the same turn of the event loop and of the next ones, as long as each of these
 * brings another: what costs most of a small one is the commit. The next turn comes at once when nobody else wants anything.
 * When one of them fails all of the commit are undone, and whoever waits for them is told.
 */
export interface GroupedTransactions {
  readonly transaction: Transaction;
  /** Resolves when all that was written so far is committed. @throws Error (rejects) of the database when it was not */
  durable(): Promise<void>;
  /** Commits now. @throws Error of the database */
  flush(): void;
}

/**
 * @param beforeCommit writes what belongs to the commit @param committed called after each @param undone called when what was written since the last commit is
 *   not in the file: a part of it failed, or the commit
 */
export function groupedTransactions(
  db: DatabaseSync,
  { beforeCommit, committed, undone }: { beforeCommit: () => void; committed: () => void; undone: () => void },
): GroupedTransactions {
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];
  let group: PromiseWithResolvers<void> | undefined;
  let parts = 0;
  const undo = (error: unknown) => {
    const failed = group;
    group = undefined;
    if (db.isTransaction) db.exec('ROLLBACK');
    undone();
    failed?.reject(error);
  };
  const flush = () => {
    if (group === undefined) return;
    try {
      if (!db.isTransaction) throw new Error(UNDONE);
      beforeCommit();
      commit.run();
    } catch (error) {
      undo(error);
      throw error;
    }
    const { resolve } = group;
    group = undefined;
    resolve();
    committed();
  };
  /** Who waits for the commit is told when it fails. */
  const flushOf = (opened: PromiseWithResolvers<void>, turns: number, before: number) => {
    if (group !== opened) return;
    if (turns < MOST_TURNS && parts > before) {
      setImmediate(flushOf, opened, turns + 1, parts);
      return;
    }
    try {
      flush();
    } catch {
      return;
    }
  };
  const open = () => {
    begin.run();
    const opened = Promise.withResolvers<void>();
    group = opened;
    parts = 0;
    // Who waits for it is told; when nobody does, the next write fails as this one did.
    opened.promise.catch(() => undefined);
    setImmediate(flushOf, opened, 1, 0);
  };
  return {
    flush,
    durable: () => group?.promise ?? Promise.resolve(),
    transaction(part) {
      // What follows would be committed statement by statement.
      if (group !== undefined && !db.isTransaction) undo(new Error(UNDONE));
      if (group === undefined) open();
      parts += 1;
      try {
        return part();
      } catch (error) {
        undo(error);
        throw error;
      }
    },
  };
}

/** An exclusive lock on a file of its own, so that others may read the ledger; the kernel gives it up when we die. */
function lockDirectory(dir: string): DatabaseSync {
  const lock = new DatabaseSync(join(dir, 'ledger.lock'));
  try {
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new LedgerError('busy', `${dir}: another process writes this ledger`, { cause: error });
  }
}

function createTables(db: DatabaseSync): void {
  transactions(db)(() => {
    const found = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
    if (found > VERSION) {
      throw new LedgerError('version', `${db.location()}: has version ${found}, this release knows ${VERSION}`);
    }
    upgrade(db, found);
  });
}

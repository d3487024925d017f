import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Commits that are worth a checkpoint: about a megabyte of log. */
const WORTH = 250;
/** Nothing was written for this long: nobody waits. Milliseconds. */
const QUIET_MS = 200;

/**
 * Puts what is in the ledger's log into its file at a moment when no call is under way: that waits for the disk, for tens of
 * milliseconds, and every stream would wait with it. Where there is no such moment SQLite does it within a commit, when the
 * log is long: see `wal_autocheckpoint`.
 */
export class Checkpoints {
  readonly #db: DatabaseSync;
  readonly #checkpoint: StatementSync;
  readonly #quiet: () => boolean;
  #commits = 0;
  #seen = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param quiet whether no call is under way */
  constructor(db: DatabaseSync, quiet: () => boolean) {
    this.#db = db;
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#quiet = quiet;
  }

  /** To be called after each commit. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits >= WORTH) this.#timer ??= setTimeout(this.#look, QUIET_MS).unref();
  }

  readonly #look = () => {
    const quiet = this.#seen === this.#commits && !this.#db.isTransaction && this.#quiet();
    this.#seen = this.#commits;
    if (!quiet) {
      this.#timer?.refresh();
      return;
    }
    this.#checkpoint.get();
    this.#commits = 0;
    this.#timer = undefined;
  };

  close(): void {
    clearTimeout(this.#timer);
  }
}

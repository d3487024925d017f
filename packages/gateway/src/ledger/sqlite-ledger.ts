import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type {
  KeyInfo,
  Ledger,
  LedgerCall,
  NanoUsd,
  Refusal,
  RefusalCount,
  Reservation,
  RunSpend,
  Settlement,
} from '../server/ports.ts';
import { bootId } from './boot-id.ts';
import { CallList } from './call-list.ts';
import { Checkpoints } from './checkpoints.ts';
import {
  type GroupedTransactions,
  groupedTransactions,
  type LedgerDatabase,
  openLedgerFile,
  transactions,
} from './database.ts';
import { KeyBook } from './key-book.ts';
import { RefusalBook } from './refusals.ts';
import { type CallEnd, callColumns, INSERT_CALL, type KeyRow, keyInfo, type OpenCall, readKeyRow } from './rows.ts';
import { keyHash, newRunKey } from './run-key.ts';
import { SpendReader } from './spend.ts';

/** What a ledger takes from its surroundings. */
export interface LedgerOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** As `bootId` gives it. */
  boot?: string;
  /** Writes of some turns of the event loop are committed together, at their end: `durable` tells when. Default: each at once. */
  grouped?: boolean;
}

/**
 * The ledger of a state directory, for one process. For every key at any moment: what is settled, reserved and uncertain
 * together is within the budget, unless a provider billed more than the upper bound of a call. A process that died leaves
 * its open calls `lost`: their reservations become uncertain when the next one opens the ledger.
 */
export class SqliteLedger implements Ledger, Disposable {
  readonly #file: LedgerDatabase;
  readonly #group: GroupedTransactions;
  readonly #checkpoints: Checkpoints;
  readonly #grouped: boolean;
  readonly #now: () => number;
  readonly #statements: Statements;
  readonly #refusals: RefusalBook;
  readonly #spend: SpendReader;
  readonly #calls: CallList;
  /** By the id that the server gave them. */
  readonly #open = new Map<string, CallUnderWay>();
  readonly #keys: KeyBook;
  /** Of the commit under way: the calls that it opens, and those that it ends. */
  readonly #opening = new Set<string>();
  readonly #ending: EndedCall[] = [];
  /** Ends that the next commit is to hold: new ones, and those of a commit that failed (the disk was full). */
  #unwritten: EndedCall[] = [];

  /** @throws LedgerError as `openLedgerFile` */
  constructor(dir: string, { now = Date.now, boot = bootId(), grouped = false }: LedgerOptions = {}) {
    this.#file = openLedgerFile(dir);
    const { db } = this.#file;
    this.#keys = new KeyBook(db);
    this.#checkpoints = new Checkpoints(db, () => this.#open.size === 0);
    this.#group = groupedTransactions(db, {
      beforeCommit: () => this.#keys.write(),
      committed: () => this.#committed(),
      undone: () => this.#undone(),
    });
    this.#grouped = grouped;
    this.#now = now;
    transactions(db)(() => {
      revokeKeysOfEarlierBoot(db, boot);
      loseOpenCalls(db, now());
    });
    this.#statements = prepare(db);
    this.#refusals = new RefusalBook(db, now);
    this.#spend = new SpendReader(db, this.#refusals);
    this.#calls = new CallList(db);
  }

  /** @throws Error when the run has a key already, or had one */
  createKey(run: KeyInfo): string {
    const key = newRunKey();
    const { runId, model, budget, concurrency, settings } = run;
    this.#group.flush();
    this.#statements.insertKey.run(runId, keyHash(key), model, settings, this.#now(), concurrency, budget);
    return key;
  }

  find(key: string): (KeyInfo & { readonly revoked: boolean }) | undefined {
    const row = this.#keys.find(key);
    return row && { ...keyInfo(row), revoked: row.revoked };
  }

  liveRuns(): readonly KeyInfo[] {
    return this.#statements.liveKeys.all().map((row) => keyInfo(readKeyRow(row)));
  }

  /** @throws Error when a call of that id is open */
  reserve(key: string, callId: string, wanted: NanoUsd, least: NanoUsd): Reservation {
    if (this.#open.has(callId)) throw new Error(`call ${callId} is open already`);
    const row = this.#keys.find(key);
    const answer = decide(row, wanted, least);
    if (!row) return answer;
    if (answer.granted) this.#openCall(row.id, callId, answer.amount);
    else if (answer.reason === 'budget' && !row.exhausted)
      this.#transaction(() => this.#keys.change(row.id, { exhausted: true }));
    return answer;
  }

  settle(callId: string, settlement: Settlement): void {
    const { usage, cost, uncertain } = settlement;
    this.#end(callId, {
      state: 'settled',
      cost,
      uncertain,
      tokens: usage,
      servedModel: settlement.servedModel,
      fingerprint: settlement.fingerprint,
      status: settlement.status,
      words: settlement.failure,
      loweredTo: settlement.loweredOutputTo,
      firstByteMs: settlement.firstByteMs,
      totalMs: settlement.totalMs,
    });
  }

  release(callId: string, status: number, words: string): void {
    this.#end(callId, { state: 'released', cost: 0n, uncertain: 0n, status, words });
  }

  durable(): Promise<void> {
    return this.#group.durable();
  }

  revoke(runId: string): void {
    this.#writeAll();
    this.#statements.revoke.run(runId);
    this.#keys.forget();
  }

  /** Not in a commit with calls: it may fail for itself. @throws Error of the database */
  recordRefusal(refusal: Refusal): void {
    this.#group.flush();
    this.#refusals.record(refusal);
  }

  calls(runId: string): readonly LedgerCall[] {
    this.#group.flush();
    return this.#calls.ofRun(runId);
  }

  sums(key: string): Pick<KeyRow, 'budget' | 'settled' | 'reserved' | 'uncertain'> | undefined {
    return this.#keys.find(key);
  }

  spend(runId: string): RunSpend | undefined {
    this.#group.flush();
    return this.#spend.ofRun(runId);
  }

  refusals(): readonly RefusalCount[] {
    return this.#refusals.all();
  }

  /** Open calls stay open in the file: the next process counts them as lost. @throws Error of the database; it is closed all the same */
  close(): void {
    try {
      this.#writeAll();
    } finally {
      this.#checkpoints.close();
      this.#file.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #committed(): void {
    this.#opening.clear();
    this.#ending.length = 0;
    this.#checkpoints.committed();
  }

  /** Nothing was sent for the calls that were to be opened: they are forgotten. Those that ended have ended. */
  #undone(): void {
    this.#keys.forget();
    this.#unwritten.push(...this.#ending.splice(0));
    this.#unwritten = this.#unwritten.filter(({ call }) => !this.#opening.has(call.callId));
    for (const callId of this.#opening) this.#open.delete(callId);
    this.#opening.clear();
  }

  #transaction<T>(part: () => T): T {
    const result = this.#group.transaction(() => {
      for (let ended = this.#unwritten.shift(); ended; ended = this.#unwritten.shift()) this.#writeEnd(ended);
      return part();
    });
    if (!this.#grouped) this.#group.flush();
    return result;
  }

  #writeAll(): void {
    if (this.#unwritten.length > 0) this.#transaction(() => undefined);
    this.#group.flush();
  }

  #openCall(keyId: bigint, callId: string, amount: NanoUsd): void {
    this.#transaction(() => {
      const opened = this.#keys.open(keyId, { callId, startedAt: this.#now(), reserved: amount });
      this.#opening.add(callId);
      this.#open.set(callId, { ...opened, keyId });
    });
  }

  #end(callId: string, end: CallEnd): void {
    const call = this.#open.get(callId);
    if (!call) return;
    this.#open.delete(callId);
    this.#unwritten.push({ call, end, at: this.#now() });
    this.#transaction(() => undefined);
  }

  /** One that can't be written at all keeps its reservation, and is not tried again; one is that the database gave up with the whole commit. */
  #writeEnd(ended: EndedCall): void {
    const { call, end, at } = ended;
    try {
      this.#statements.insertCall.run(...callColumns(call, end, at));
    } catch (error) {
      if (!this.#file.db.isTransaction) this.#unwritten.push(ended);
      throw error;
    }
    const { cost, uncertain } = end;
    this.#keys.change(call.keyId, { ended: call, settled: cost, uncertain });
    this.#ending.push(ended);
  }
}

interface CallUnderWay extends OpenCall {
  readonly keyId: bigint;
}

interface EndedCall {
  readonly call: CallUnderWay;
  readonly end: CallEnd;
  readonly at: number;
}

/** The budget's rule. Pure. */
function decide(key: KeyRow | undefined, wanted: NanoUsd, least: NanoUsd): Reservation {
  if (!key) return { granted: false, reason: 'unknown_key', left: 0n };
  const free = key.budget - key.settled - key.uncertain - key.reserved;
  const left = free > 0n ? free : 0n;
  if (key.revoked) return { granted: false, reason: 'revoked', left };
  if (key.openCalls.size >= key.concurrency) return { granted: false, reason: 'concurrency', left };
  if (wanted <= free) return { granted: true, amount: wanted };
  if (key.reserved > 0n) return { granted: false, reason: 'reserved', left };
  if (least <= free) return { granted: true, amount: free };
  return { granted: false, reason: 'budget', left };
}

function revokeKeysOfEarlierBoot(db: DatabaseSync, boot: string): void {
  if (boot === '') return;
  const known = db.prepare(`SELECT value FROM meta WHERE name = 'boot'`).get()?.['value'];
  if (known === boot) return;
  if (known !== undefined) db.exec('UPDATE keys SET revoked = 1 WHERE revoked = 0');
  db.prepare(`INSERT INTO meta VALUES ('boot', ?) ON CONFLICT DO UPDATE SET value = excluded.value`).run(boot);
}

function loseOpenCalls(db: DatabaseSync, now: number): void {
  const keys = new KeyBook(db);
  const insert = db.prepare(INSERT_CALL);
  const open = db.prepare(`SELECT * FROM keys WHERE open_calls <> ''`);
  open.setReadBigInts(true);
  for (const { id, openCalls } of open.all().map(readKeyRow)) {
    for (const call of openCalls.values()) {
      const lost = { state: 'lost', cost: 0n, uncertain: call.reserved, status: undefined, words: undefined } as const;
      insert.run(...callColumns(call, lost, now));
      keys.change(id, { ended: call, uncertain: call.reserved });
    }
  }
  keys.write();
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: DatabaseSync) {
  const exact = (sql: string): StatementSync => {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  return {
    insertKey: exact(
      'INSERT INTO keys (run_id, hash, model, settings, created_at, concurrency, budget) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    liveKeys: exact('SELECT * FROM keys WHERE revoked = 0 ORDER BY id'),
    revoke: exact('UPDATE keys SET revoked = 1 WHERE run_id = ?'),
    insertCall: db.prepare(INSERT_CALL),
  };
}

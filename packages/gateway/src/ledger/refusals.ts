import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MODEL_PROTOCOLS } from '@ssebench/contracts/model-protocol';
import type { Refusal, RefusalCount } from '../server/ports.ts';
import { type Row, text } from './rows.ts';

/** Kinds of refusals that are told apart for one run; an agent can't fill the disk with new ones. */
const MOST_OF_A_RUN = 500;
const LONGEST = 200;
/** Stands for the fields and values of all further ones. */
const OTHERS = '…';

/** Counts what was refused, by run, protocol, field and value. */
export class RefusalBook {
  readonly #now: () => number;
  readonly #count: StatementSync;
  readonly #add: StatementSync;
  readonly #insert: StatementSync;
  readonly #ofRun: StatementSync;
  readonly #all: StatementSync;

  constructor(db: DatabaseSync, now: () => number) {
    const sorted = 'ORDER BY last_at DESC, run_id, protocol, code, field, found';
    this.#now = now;
    this.#count = db.prepare('SELECT count(*) AS kinds FROM refusals WHERE run_id = ?');
    this.#add = db.prepare(
      'UPDATE refusals SET count = count + 1, last_at = ? WHERE run_id = ? AND protocol = ? AND code = ? AND field = ? AND found = ?',
    );
    this.#insert = db.prepare(
      'INSERT INTO refusals VALUES (?, ?, ?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET count = count + 1, last_at = excluded.last_at',
    );
    this.#ofRun = db.prepare(`SELECT * FROM refusals WHERE run_id = ? ${sorted}`);
    this.#all = db.prepare(`SELECT * FROM refusals ${sorted}`);
  }

  record({ runId, ...refusal }: Refusal): void {
    const protocol = refusal.protocol ?? '';
    const [code, field, found] = [refusal.code, shortened(refusal.field), shortened(refusal.found)];
    const at = this.#now();
    if (this.#add.run(at, runId, protocol, code, field, found).changes > 0) return;
    const full = Number(this.#count.get(runId)?.['kinds']) >= MOST_OF_A_RUN;
    this.#insert.run(runId, protocol, code, full ? OTHERS : field, full ? OTHERS : found, at);
  }

  ofRun(runId: string): RefusalCount[] {
    return this.#ofRun.all(runId).map(refusalCount);
  }

  all(): RefusalCount[] {
    return this.#all.all().map(refusalCount);
  }
}

function refusalCount(row: Row): RefusalCount {
  const protocol = text(row, 'protocol');
  return {
    runId: text(row, 'run_id'),
    protocol: MODEL_PROTOCOLS.find((name) => name === protocol),
    code: text(row, 'code'),
    field: text(row, 'field'),
    found: text(row, 'found'),
    count: Number(row['count']),
    lastAt: Number(row['last_at']),
  };
}

function shortened(value: string): string {
  return value.length <= LONGEST ? value : `${value.slice(0, LONGEST - 1)}…`;
}

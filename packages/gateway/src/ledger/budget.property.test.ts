import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { SqliteLedger } from './sqlite-ledger.ts';
import { copyAsKilled, RUN, settlement, temporaryFolder } from './test-ledger.ts';

/** A step of one of many calls at once. `pick` chooses among the open calls; costs are thousandths of the reservation. */
type Step =
  | { op: 'reserve'; key: number; wanted: bigint; least: bigint }
  | { op: 'settle'; pick: number; cost: bigint; uncertain: bigint }
  | { op: 'release'; pick: number }
  | { op: 'settle twice'; pick: number }
  | { op: 'revoke'; key: number }
  | { op: 'kill' };

const thousandths = fc.bigInt({ min: 0n, max: 1_000n });
const pick = fc.nat(99);
const key = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({
      op: fc.constant('reserve'),
      key,
      wanted: fc.bigInt({ min: 0n, max: 1_500n }),
      least: fc.bigInt({ min: 0n, max: 300n }),
    }),
  },
  { weight: 28, arbitrary: fc.record({ op: fc.constant('settle'), pick, cost: thousandths, uncertain: thousandths }) },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('release'), pick }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('settle twice'), pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('kill') }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('revoke'), key }) },
);

/** At each second step of so many, one of the two accounts is compared. */
const LOOK_EVERY = 4;

/** What a run's account must say: the rule again, in the plainest way, kept in memory. */
class Account {
  settled = 0n;
  uncertain = 0n;
  revoked = false;
  exhausted = false;
  readonly open = new Map<string, bigint>();
  readonly key: string;
  readonly runId: string;
  readonly budget: bigint;
  readonly concurrency: number;

  constructor(ledger: SqliteLedger, runId: string, budget: bigint, concurrency: number) {
    this.key = ledger.createKey({ ...RUN, runId, budget, concurrency });
    this.runId = runId;
    this.budget = budget;
    this.concurrency = concurrency;
  }

  get reserved(): bigint {
    return [...this.open.values()].reduce((sum, amount) => sum + amount, 0n);
  }

  due(wanted: bigint, least: bigint): bigint | string {
    const left = this.budget - this.settled - this.uncertain - this.reserved;
    if (this.revoked) return 'revoked';
    if (this.open.size >= this.concurrency) return 'concurrency';
    if (wanted <= left) return wanted;
    if (this.reserved > 0n) return 'reserved';
    return least <= left ? left : 'budget';
  }

  check(ledger: SqliteLedger): void {
    const spend = ledger.spend(this.runId);
    const { settled, uncertain, reserved, revoked, exhausted } = this;
    const told = [spend?.settled, spend?.uncertain, spend?.reserved, spend?.revoked, spend?.budgetExhausted];
    const due = [settled, uncertain, reserved, revoked, exhausted];
    if (told.some((value, index) => value !== due[index])) throw new Error(`told ${told}, due ${due}`);
    if (settled + uncertain + reserved > this.budget) throw new Error(`over the budget of ${this.budget}`);
  }
}

/** The ledger in use, which moves to a new folder when its process is killed, and the accounts of one interleaving. */
class World implements Disposable {
  readonly #root = temporaryFolder();
  #dir = this.#root.path;
  #ledger = new SqliteLedger(this.#dir);
  #accounts: readonly Account[] = [];
  #ended: string[] = [];
  #runs = 0;
  #calls = 0;

  play(steps: readonly Step[]): void {
    const run = this.#runs++;
    this.#accounts = [
      new Account(this.#ledger, `run-${run}-narrow`, 1_000n, 100),
      new Account(this.#ledger, `run-${run}-wide`, 5_000n, 3),
    ];
    this.#ended = [];
    for (const [index, step] of steps.entries()) {
      this.#take(step);
      this.#accounts[index % LOOK_EVERY]?.check(this.#ledger);
    }
    for (const account of this.#accounts) account.check(this.#ledger);
  }

  #take(step: Step): void {
    if (step.op === 'reserve') this.#reserve(step.key, step.wanted, step.least);
    else if (step.op === 'settle') this.#end(step.pick, step.cost, step.uncertain);
    else if (step.op === 'release') this.#end(step.pick, 0n, 0n);
    else if (step.op === 'settle twice') this.#settleAgain(step.pick);
    else if (step.op === 'revoke') this.#revoke(step.key);
    else this.#kill();
  }

  #reserve(key: number, wanted: bigint, least: bigint): void {
    const account = this.#account(key);
    const id = `call-${this.#calls++}`;
    const due = account.due(wanted, least);
    const answer = this.#ledger.reserve(account.key, id, wanted, least);
    const told = answer.granted ? answer.amount : answer.reason;
    if (told !== due) throw new Error(`told ${told}, due ${due}`);
    if (answer.granted) account.open.set(id, answer.amount);
    else if (answer.reason === 'budget') account.exhausted = true;
  }

  #end(pick: number, costShare: bigint, uncertainShare: bigint): void {
    const open = this.#accounts.flatMap((account) =>
      [...account.open].map(([id, amount]) => ({ account, id, amount })),
    );
    const call = open[pick % open.length];
    if (!call) return;
    const { account, id, amount } = call;
    const cost = (amount * costShare) / 1_000n;
    const uncertain = ((amount - cost) * uncertainShare) / 1_000n;
    if (cost + uncertain > 0n) this.#ledger.settle(id, settlement(cost, { uncertain }));
    else this.#ledger.release(id, 503, 'overloaded');
    account.open.delete(id);
    account.settled += cost;
    account.uncertain += uncertain;
    this.#ended.push(id);
  }

  #settleAgain(pick: number): void {
    const id = this.#ended[pick % this.#ended.length];
    if (id !== undefined) this.#ledger.settle(id, settlement(999n));
  }

  #revoke(key: number): void {
    const account = this.#account(key);
    this.#ledger.revoke(account.runId);
    account.revoked = true;
  }

  #kill(): void {
    const next = mkdtempSync(join(this.#root.path, 'killed-'));
    copyAsKilled(this.#dir, next);
    this.#ledger.close();
    this.#ledger = new SqliteLedger(next);
    this.#dir = next;
    for (const account of this.#accounts) {
      account.uncertain += account.reserved;
      this.#ended.push(...account.open.keys());
      account.open.clear();
    }
  }

  #account(index: number): Account {
    const account = this.#accounts[index];
    if (!account) throw new RangeError(`no account ${index}`);
    return account;
  }

  [Symbol.dispose](): void {
    this.#ledger.close();
    this.#root.remove();
  }
}

test('whatever calls do at the same time, aborted or killed, what is settled, reserved and uncertain stays within the budget', () => {
  const interleaving = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });
  for (let batch = 0; batch < 6; batch++) {
    using world = new World();
    fc.assert(
      fc.property(interleaving, (steps) => world.play(steps)),
      { numRuns: 200 },
    );
  }
}, 60_000);

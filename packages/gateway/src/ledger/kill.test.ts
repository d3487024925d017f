import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { SqliteLedger } from './sqlite-ledger.ts';
import { RUN, temporaryFolder } from './test-ledger.ts';

/** Four calls at any time, each reserves 10 and costs 3, until killed; tells what the ledger has confirmed. */
const WORKER = `
  const { writeSync } = await import('node:fs');
  const { SqliteLedger } = await import(process.argv[1]);
  const { RUN, settlement } = await import(process.argv[2]);
  const ledger = new SqliteLedger(process.argv[3]);
  const key = ledger.createKey({ ...RUN, budget: 1_000_000_000n });
  for (let call = 0; ; call++) {
    ledger.reserve(key, String(call), 10n, 10n);
    writeSync(1, 'reserved\\n');
    if (call < 3) continue;
    ledger.settle(String(call - 3), settlement(3n));
    writeSync(1, 'settled\\n');
  }
`;

/** As many calls in each commit; what is told is what `durable` has confirmed. */
const BATCH = 8;
const GROUPED_WORKER = `
  const { writeSync } = await import('node:fs');
  const { SqliteLedger } = await import(process.argv[1]);
  const { RUN, settlement } = await import(process.argv[2]);
  const ledger = new SqliteLedger(process.argv[3], { grouped: true });
  const key = ledger.createKey({ ...RUN, budget: 1_000_000_000n });
  for (let batch = 0; ; batch++) {
    const calls = Array.from({ length: ${BATCH} }, (_, index) => batch + '-' + index);
    for (const call of calls) ledger.reserve(key, call, 10n, 10n);
    await ledger.durable();
    writeSync(1, 'reserved\\n'.repeat(calls.length));
    for (const call of calls) ledger.settle(call, settlement(3n));
    await ledger.durable();
    writeSync(1, 'settled\\n'.repeat(calls.length));
  }
`;

const path = (name: string) => new URL(name, import.meta.url).href;

/** Kills the worker after so many confirmed steps. Returns what it had confirmed until then. */
async function killAfter(steps: number, dir: string, program = WORKER): Promise<{ reserved: number; settled: number }> {
  const modules = [path('./sqlite-ledger.ts'), path('./test-ledger.ts')];
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, ...modules, dir];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(worker, 'exit');
  const confirmed = { reserved: 0, settled: 0 };
  for await (const line of createInterface({ input: worker.stdout })) {
    if (line === 'reserved') confirmed.reserved++;
    else if (line === 'settled') confirmed.settled++;
    if (confirmed.reserved + confirmed.settled === steps) worker.kill('SIGKILL');
  }
  expect((await ended)[1]).toBe('SIGKILL');
  return confirmed;
}

test.each([1, 50, 2_000])('killed after %i steps, the ledger has all that it had confirmed', async (steps) => {
  using folder = temporaryFolder();
  const { reserved, settled } = await killAfter(steps, folder.path);
  using ledger = new SqliteLedger(folder.path);
  const spend = ledger.spend(RUN.runId);
  if (!spend) throw new Error('no spend');
  const [calls, done] = [spend.calls, Number(spend.settled / 3n)];
  // What was confirmed, and at most the one step whose word had not got out.
  expect([calls - reserved, done - settled].every((more) => more === 0 || more === 1)).toBe(true);
  expect(calls + done - reserved - settled).toBeLessThanOrEqual(1);
  expect(spend).toMatchObject({ answered: done, reserved: 0n, uncertain: BigInt(calls - done) * 10n });
});

test.each([BATCH, 400, 6_000])('killed after %i steps that share commits, it has each of them whole', async (steps) => {
  using folder = temporaryFolder();
  const { reserved, settled } = await killAfter(steps, folder.path, GROUPED_WORKER);
  using ledger = new SqliteLedger(folder.path);
  const spend = ledger.spend(RUN.runId);
  if (!spend) throw new Error('no spend');
  const [calls, done] = [spend.calls, Number(spend.settled / 3n)];
  // What was confirmed, and at most the one commit whose word had not got out.
  expect([0, BATCH]).toContain(calls - reserved + done - settled);
  expect(spend).toMatchObject({ answered: done, reserved: 0n, uncertain: BigInt(calls - done) * 10n });
});

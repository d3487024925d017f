import { basename } from 'node:path';
import { type AbandonedRun, abandonedRuns, deadDirectories } from '../../gc/abandoned-runs.ts';
import { findRun, severalRuns } from '../../results/find-run.ts';
import { watchInterrupts } from '../../run/interrupt.ts';
import { UserError } from '../errors.ts';
import { guardInterrupts } from '../interrupt.ts';
import { print } from '../output.ts';
import { printEnded, recover } from '../recovery.ts';
import { checkRunId } from './run-containers.ts';

const INTERRUPTED = 130;

/** `ssebench runs recover`: one run, or all of the results folder whose command was killed. Waits for agents that still work. */
export async function runsRecover(runId: string | undefined, { dir }: { dir: string }): Promise<number> {
  const ended = await takePlaces(dir, runId);
  const runs = ended > 0 && runId !== undefined ? [] : await wanted(dir, runId);
  if (runs.length + ended === 0) process.stderr.write(`${dir}: every run has ended or has its command\n`);
  guardInterrupts();
  using interrupts = watchInterrupts();
  for (const run of runs) {
    const recovery = await recover(run, { wait: true, signal: interrupts.signal });
    if (recovery.state === 'ended') printEnded(run, recovery);
    if (recovery.state === 'taken') print(`run ${run.owner.run_id}: another command conducts it`);
    if (recovery.state === 'stopped') return INTERRUPTED;
  }
  return 0;
}

/** Runs that were killed in their very last step only have to take their place. Returns how many did. */
async function takePlaces(dir: string, runId: string | undefined): Promise<number> {
  const dead = await deadDirectories(dir, new Date());
  const runs = dead.filter(({ kind, name }) => kind === 'run' && (runId === undefined || basename(name) === runId));
  for (const { name, remove } of runs) {
    await remove();
    print(`finished run ${name}`);
  }
  return runs.length;
}

/** @throws UserError when there is no such run, when it has ended, and when it has its command */
async function wanted(dir: string, runId: string | undefined): Promise<AbandonedRun[]> {
  const abandoned = await abandonedRuns(dir);
  if (runId === undefined) return abandoned;
  checkRunId(runId);
  const named = abandoned.filter(({ owner }) => owner.run_id === runId);
  if (named.length > 1)
    throw severalRuns(
      runId,
      named.map(({ directory }) => directory.path),
    );
  if (named.length === 1) return named;
  const { ended, run } = findRun(dir, runId);
  throw new UserError(ended ? `run ${runId} has ended: ${run.dir}` : `run ${runId} goes on: its command lives`);
}

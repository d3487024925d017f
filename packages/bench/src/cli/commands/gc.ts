import { isEngineError } from '@ssebench/engine/errors';
import { gatewayPlace } from '../../gateway/gateway-process.ts';
import { abandonedChecks } from '../../gc/abandoned-checks.ts';
import { abandonedKeys } from '../../gc/abandoned-keys.ts';
import {
  type AbandonedRun,
  abandonedOnEngine,
  abandonedOwners,
  abandonedRuns,
  deadDirectories,
} from '../../gc/abandoned-runs.ts';
import { engineLeftovers, imageLeftovers, type Leftover, removeLeftover } from '../../gc/leftovers.ts';
import { watchInterrupts } from '../../run/interrupt.ts';
import { openHost, withEngine } from '../host.ts';
import { guardInterrupts } from '../interrupt.ts';
import { print } from '../output.ts';
import { recover } from '../recovery.ts';

const INTERRUPTED = 130;

export interface GcOptions {
  dir: string;
  dryRun?: boolean;
  images?: boolean;
  /** False with `--no-wait`. */
  wait?: boolean;
}

/**
 * `ssebench gc`: never touches what has a live owner. Runs whose command was killed are brought to their end first, those
 * with a container on the engine wherever their results are.
 */
export async function gc({ dir, dryRun = false, images = false, wait = true }: GcOptions): Promise<number> {
  return withEngine(async (engine) => {
    const runs = new Map<string, AbandonedRun>();
    for (const run of [...(await abandonedRuns(dir)), ...(await abandonedOnEngine(engine))])
      runs.set(run.directory.live, run);
    guardInterrupts();
    using interrupts = watchInterrupts();
    const { signal } = interrupts;
    const unfinished = new Set<string>();
    for (const run of runs.values()) {
      const isDone = !dryRun && (await finish(run, { wait, signal }));
      if (signal.aborted) return INTERRUPTED;
      if (dryRun) print(`would finish run ${run.directory.path}`);
      if (!isDone) unfinished.add(run.owner.directory);
    }
    const now = new Date();
    const leftovers = [
      ...(await engineLeftovers(engine, now, images)),
      ...(await deadDirectories(dir, now)),
      ...(images ? await imageLeftovers(engine) : []),
      ...(await abandonedOwners(now, unfinished)),
      ...(await abandonedKeys(gatewayPlace(openHost().workspace))),
      ...(await abandonedChecks()),
    ];
    for (const leftover of leftovers) await removeOne(leftover, dryRun);
    if (leftovers.length + runs.size === 0) process.stderr.write('nothing is left over\n');
    return 0;
  });
}

async function finish(run: AbandonedRun, options: { wait: boolean; signal: AbortSignal }): Promise<boolean> {
  const name = run.directory.path;
  try {
    const recovery = await recover(run, options);
    if (recovery.state === 'ended') print(`finished run ${name}: ${recovery.outcome.patch_result.status}`);
    if (recovery.state === 'taken') print(`kept run ${name}: another command conducts it`);
    if (recovery.state === 'works') print(`kept run ${name}: its agent works; "ssebench runs recover" waits for it`);
    return recovery.state === 'ended';
  } catch (error) {
    // Its engine may be another one than ours.
    if (!isEngineError(error, 'unreachable', 'timeout')) throw error;
    print(`kept run ${name}: ${error.message}`);
    return false;
  }
}

async function removeOne(leftover: Leftover, dryRun: boolean): Promise<void> {
  const what = `${leftover.kind} ${leftover.name}`;
  if (dryRun) print(`would ${leftover.kind === 'run' ? 'finish' : 'remove'} ${what}`);
  else if (await removeLeftover(leftover)) print(`${leftover.kind === 'run' ? 'finished' : 'removed'} ${what}`);
  else print(`kept ${what}: it is in use`);
}

import { abandonedOwners, abandonedRuns } from '../../gc/abandoned-runs.ts';
import { engineLeftovers, imageLeftovers, type Leftover, removeLeftover } from '../../gc/leftovers.ts';
import { withEngine } from '../host.ts';
import { print } from '../output.ts';

export interface GcOptions {
  dir: string;
  dryRun?: boolean;
  images?: boolean;
}

/** `ssebench gc`: never touches what has a live owner. */
export async function gc({ dir, dryRun = false, images = false }: GcOptions): Promise<number> {
  return withEngine(async (engine) => {
    const now = new Date();
    const leftovers = [
      ...(await engineLeftovers(engine, now)),
      ...(await abandonedRuns(dir, now)),
      ...(images ? await imageLeftovers(engine) : []),
    ];
    for (const leftover of leftovers) await removeOne(leftover, dryRun);
    // Only now: finishing a run takes its short directory along.
    for (const leftover of await abandonedOwners(now)) await removeOne(leftover, dryRun);
    if (leftovers.length === 0) process.stderr.write('nothing is left over\n');
    return 0;
  });
}

async function removeOne(leftover: Leftover, dryRun: boolean): Promise<void> {
  const what = `${leftover.kind} ${leftover.name}`;
  if (dryRun) print(`would ${leftover.kind === 'run' ? 'finish' : 'remove'} ${what}`);
  else if (await removeLeftover(leftover)) print(`${leftover.kind === 'run' ? 'finished' : 'removed'} ${what}`);
  else print(`kept ${what}: it is in use`);
}

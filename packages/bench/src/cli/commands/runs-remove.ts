import { LABEL } from '@ssebench/contracts/labels';
import { isEngineError } from '@ssebench/engine/errors';
import { withEngine } from '../host.ts';
import { checkRunId, containersOf } from './run-containers.ts';

/** `ssebench runs remove`: containers and volumes go, results stay. Status 1 when something is still there afterwards. */
export async function runsRemove(runId: string): Promise<number> {
  checkRunId(runId);
  return withEngine(async (engine) => {
    const containers = await containersOf(engine, runId);
    await Promise.all(containers.map(({ id }) => unlessGone(engine.remove(id, { force: true, volumes: true }))));
    const volumes = await engine.listVolumes({ [LABEL.runId]: runId });
    await Promise.all(volumes.map(({ name }) => unlessGone(engine.removeVolume(name))));
    const left = await engine.listContainers({ [LABEL.runId]: runId });
    if (left.length === 0) return 0;
    process.stderr.write(`the engine still lists ${left.map(({ name }) => name).join(', ')}\n`);
    return 1;
  });
}

/** Somebody else, such as the run's own command, may remove it at the same time. */
async function unlessGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isEngineError(error, 'not_found')) throw error;
  }
}

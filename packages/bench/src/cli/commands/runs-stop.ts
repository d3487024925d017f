import { withEngine } from '../host.ts';
import { parseCount } from '../option-values.ts';
import { checkRunId, containersOf } from './run-containers.ts';

const DEFAULT_GRACE = '20';

/** `ssebench runs stop`: asks to stop and kills after the grace; a container that has stopped is left as it is. */
export async function runsStop(runId: string, options: { grace?: string }): Promise<number> {
  checkRunId(runId);
  const grace = parseCount('--grace', options.grace ?? DEFAULT_GRACE, 0, 3600, 'seconds');
  return withEngine(async (engine) => {
    const running = (await containersOf(engine, runId)).filter(
      ({ state }) => state === 'running' || state === 'paused',
    );
    await Promise.all(running.map(({ id }) => engine.stop(id, grace)));
    return 0;
  });
}

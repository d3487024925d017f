import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import type { ContainerEngine } from '@ssebench/engine/port';
import type { EnsuredImages } from '../images/ensure.ts';

/**
 * That the volume of a container's program is the one that was filled. An engine makes a volume that is not there, empty:
 * when the right one was removed while the run began, the agent would fail for want of its program, and be blamed for it. Once
 * a container has the volume, nobody can remove it.
 * @throws FaultError `start_failed`
 */
export async function requireProgram(
  engine: Pick<ContainerEngine, 'inspectVolume'>,
  { id, volume }: NonNullable<EnsuredImages['program']>,
  signal: AbortSignal,
): Promise<void> {
  if ((await engine.inspectVolume(volume, { signal }))?.labels[LABEL.key] === id) return;
  const detail = `volume ${volume}, which holds the agent's program, was removed while the run began: run it again`;
  throw new FaultError(fault('start_failed', detail));
}

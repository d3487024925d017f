import { LABEL } from '@ssebench/contracts/labels';
import { RunId } from '@ssebench/contracts/run-id';
import type { ContainerSummary } from '@ssebench/engine/container';
import type { ContainerEngine } from '@ssebench/engine/port';
import { NO_SUCH_RUN, severalRuns } from '../../results/find-run.ts';
import { UserError } from '../errors.ts';
import { usageError } from '../option-values.ts';

/** @throws UserError with status 2 */
export function checkRunId(runId: string): void {
  const valid = RunId.safeParse(runId);
  if (!valid.success) throw usageError('<run-id>', runId, valid.error.issues[0]?.message ?? '');
}

/**
 * All containers of one run, the newest first.
 * @throws UserError with status 3 when the engine has none, 4 when it has several runs of that ID
 */
export async function containersOf(engine: ContainerEngine, runId: string): Promise<ContainerSummary[]> {
  const found = await engine.listContainers({ [LABEL.runId]: runId });
  if (found.length === 0)
    throw new UserError(`no run "${runId}" is on the engine; "ssebench runs list" shows those that are`, NO_SUCH_RUN);
  const places = [...new Set(found.flatMap(({ labels }) => labels[LABEL.results] ?? []))];
  if (places.length > 1) throw severalRuns(runId, places);
  return found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

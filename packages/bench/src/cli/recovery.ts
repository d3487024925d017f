import { dirname } from 'node:path';
import { checksOf } from '@ssebench/contracts/task-config';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { connectGateway } from '../gateway/connect-gateway.ts';
import type { AbandonedRun } from '../gc/abandoned-runs.ts';
import { createProgress } from '../progress/create-progress.ts';
import { type Recovery, recoverRun } from '../run/recover-run.ts';
import { cantEnd } from '../run/unwritable.ts';
import { closingLines } from './closing-lines.ts';
import { openHost } from './host.ts';
import { print } from './output.ts';

/** Brings one run to its end, with its progress on standard error. @throws as `recoverRun` */
export async function recover(
  { directory, owner }: AbandonedRun,
  options: { wait: boolean; signal: AbortSignal },
): Promise<Recovery> {
  const progress = createProgress();
  try {
    progress.notice(`run ${owner.run_id} of ${owner.task.id}, started ${owner.started_at}, lost its command`);
    return await recoverRun(directory, owner, {
      ...options,
      progress,
      gateway: async (kind) => {
        const { workspace, settings } = openHost();
        return connectGateway(kind, workspace, settings);
      },
      connect: (address) => connectEngine(address === undefined ? {} : { address }),
    });
  } catch (error) {
    throw cantEnd(error, owner.run_id, dirname(dirname(directory.live)));
  } finally {
    progress.close();
  }
}

/** The closing lines of a run that ended, as its own command would have printed them. */
export function printEnded({ directory }: AbandonedRun, { outcome }: Extract<Recovery, { state: 'ended' }>): void {
  const { patch_result: patchResult, integrity, task } = outcome;
  const closing = { patchResult, integrity, checks: checksOf(task), directory: directory.path };
  for (const line of closingLines(closing)) print(line);
}

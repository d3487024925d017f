import { join } from 'node:path';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import type { WorkOutcome } from '@ssebench/contracts/work-outcome';
import { writeFileAtomic } from '../system/atomic-file.ts';
import type { RunContext } from './run-context.ts';

/** Writes `work.json` with what is known of the agent phase by now. */
export async function recordOutcome({ settings, agent, capture, archive, fault }: RunContext): Promise<void> {
  const outcome: WorkOutcome = {
    agent: {
      exit_code: agent?.exitCode ?? null,
      duration: (agent?.durationMs ?? 0) / 1000,
      timed_out: agent?.timedOut ?? false,
    },
    capture,
    archive,
    fault,
  };
  await writeFileAtomic(join(settings.results, RESULT_FILE.work), `${JSON.stringify(outcome, null, 2)}\n`);
}

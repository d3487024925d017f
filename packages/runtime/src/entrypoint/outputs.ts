import { chmodSync, chownSync, closeSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ArchiveOwner, giveToAgent } from './archive-owner.ts';
import { UsageError } from './command-line.ts';
import { openLog } from './log-file.ts';
import type { Settings } from './settings.ts';

/** Logs that exist in every run. Source: seeds/results-format. */
const LOGS = ['daemon.log', 'mcp.log', 'agent.log', 'evaluator.log', 'opencode.log'];
const LOGS_OF_GRADING = ['daemon.log', 'evaluator.log'];

/**
 * Makes what the run writes to: the results directory beneath a root-only one, the archive as the agent's, the logs.
 * Returns whose the archive was before. Source: spec/runtime §4.2.
 * @throws UsageError: nothing was started yet
 */
export function setUpOutputs({ results, archive, account, root, mode }: Settings): ArchiveOwner | null {
  try {
    mkdirSync(results, { recursive: true, mode: 0o755 });
    if (root) closeToOthers(dirname(results));
    for (const name of mode === 'grade' ? LOGS_OF_GRADING : LOGS) closeSync(openLog(join(results, name)));
    if (!archive || mode === 'grade') return null;
    mkdirSync(archive, { recursive: true, mode: 0o755 });
    return root ? giveToAgent(archive, account) : null;
  } catch (error) {
    throw new UsageError(`the outputs can't be set up: ${(error as Error).message}`, { cause: error });
  }
}

function closeToOthers(directory: string): void {
  if (!lstatSync(directory).isDirectory()) throw new Error(`${directory} is not a directory`);
  chownSync(directory, 0, 0);
  chmodSync(directory, 0o700);
}

import { chmodSync, chownSync, closeSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { giveToAgent } from '../archive-owner.ts';
import { UsageError } from '../command-line.ts';
import { openLog } from '../log-file.ts';
import type { RunContext } from '../run-context.ts';

/** Logs that exist in every run. Source: seeds/results-format. */
const LOGS = ['daemon.log', 'mcp.log', 'agent.log', 'evaluator.log', 'opencode.log'];
const LOGS_OF_GRADING = ['daemon.log', 'evaluator.log'];

/**
 * Makes what the run writes to: the results directory beneath a root-only one, the archive as the agent's, the logs.
 * Source: spec/runtime §4.2.
 * @throws UsageError: nothing was started yet
 */
export function setUpOutputs(run: RunContext): void {
  const { results, archive, account, root, mode } = run.settings;
  try {
    mkdirSync(results, { recursive: true, mode: 0o755 });
    if (root) closeToOthers(dirname(results));
    if (archive && mode !== 'grade') {
      mkdirSync(archive, { recursive: true, mode: 0o755 });
      if (root) run.archiveOwner = giveToAgent(archive, account);
    }
    for (const name of mode === 'grade' ? LOGS_OF_GRADING : LOGS) closeSync(openLog(join(results, name)));
  } catch (error) {
    throw new UsageError(`the outputs can't be set up: ${(error as Error).message}`, { cause: error });
  }
}

function closeToOthers(directory: string): void {
  if (!lstatSync(directory).isDirectory()) throw new Error(`${directory} is not a directory`);
  chownSync(directory, 0, 0);
  chmodSync(directory, 0o700);
}

import { existsSync } from 'node:fs';
import { CONTAINER, SHARED_DIRS } from '@ssebench/contracts/layout';
import { cutDeepTrees } from '../system/cut-deep-trees.ts';
import { log } from './log.ts';
import type { RunContext } from './run-context.ts';

const LIMIT_MS = 30_000;

/**
 * Makes sure that what is removed with the container can be removed: engines fail for ever on trees deeper than they may have
 * files open. When nobody of the agent's or the runner's is left. Clean-up decides nothing, and has an end.
 */
export async function tidy({ settings: { account, archive, mode }, source }: RunContext): Promise<void> {
  // Nothing outside such an image is ours.
  if (!existsSync(CONTAINER.prepared)) return;
  const ofTheAgent = [account.home, CONTAINER.agentTree, ...[source, archive].filter((path) => path != null)];
  const places = [CONTAINER.runner, ...SHARED_DIRS, ...(mode === 'grade' ? [] : ofTheAgent)];
  try {
    const cut = await cutDeepTrees(places, LIMIT_MS);
    if (cut > 0) log('WARN', 'Trees too deep for any path were cut', { cut });
  } catch (error) {
    log('WARN', 'Deep trees are left', { error: String(error) });
  }
}

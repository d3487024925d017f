import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { removeWorkspace, WORKSPACE_OWNER, WORKSPACE_PREFIX } from '../agent-check/scripted-workspace.ts';
import { ownerLives } from '../results/owner.ts';
import { abandonedRuns } from './abandoned-runs.ts';
import type { Leftover } from './leftovers.ts';

/** Folders of `ssebench agents check` whose command was killed. One whose run has not come to its end yet stays until it has. */
export async function abandonedChecks(): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(WORKSPACE_PREFIX)) continue;
    const path = join(tmpdir(), name);
    const socket = ownerOf(path);
    if (socket === undefined || (await ownerLives(socket))) continue;
    if ((await abandonedRuns(join(path, 'results'))).length > 0) continue;
    found.push({ kind: 'directory', name: path, remove: () => removeWorkspace(path) });
  }
  return found;
}

/** Undefined for what was kept on purpose, for what is being made just now, and for what is another user's. */
function ownerOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory() || stat.uid !== userInfo().uid) return undefined;
  try {
    return readFileSync(join(path, WORKSPACE_OWNER), 'utf8') || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlKind, controlKind, EVIDENCE } from '@ssebench/contracts/task-expect';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import type { Task } from '../../config/tasks.ts';

/**
 * One way to try a task whose outcome is known beforehand: the fix, nothing at all, or a patch of the author's.
 * `reference` and `dummy` are whole runs of these agents; the others are graded as they are.
 */
export interface Control {
  /** `reference`, `dummy`, or the patch's file name without its ending. Unique in a task. */
  name: string;
  kind: 'reference' | 'dummy' | ControlKind;
  /** Absolute path of the author's patch; null for the two agents. */
  patch: string | null;
}

/** The controls of a task, in the order in which they run. @throws UserError for files in `sse/controls` that are none */
export function controlsOf({ dir, config }: Pick<Task, 'dir' | 'config'>): Control[] {
  const agents: Control[] = [
    ...(config.files.patch ? [{ name: 'reference', kind: 'reference', patch: null } as const] : []),
    { name: 'dummy', kind: 'dummy', patch: null },
  ];
  return [...agents, ...patchesIn(join(dir, EVIDENCE.controls))];
}

function patchesIn(folder: string): Control[] {
  if (!existsSync(folder)) return [];
  const problems: string[] = [];
  const controls: Control[] = [];
  for (const name of readdirSync(folder).sort()) {
    const kind = controlKind(name);
    if (kind) controls.push({ name: name.replace(/\.diff$/, ''), kind, patch: join(folder, name) });
    else
      problems.push(
        `${showPath(join(folder, name))}: is no control patch: they are called revert.diff, mask.diff or alternative.diff, or revert-<words>.diff and so on`,
      );
  }
  if (problems.length > 0) throw new UserError(problems);
  return controls;
}

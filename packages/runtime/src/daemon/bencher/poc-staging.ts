import { lstatSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { DaemonError } from '../daemon-error.ts';
import { shareReadOnly } from '../runner/read-only.ts';
import type { RunnerArea } from '../runner/runner-area.ts';
import type { Task } from '../task.ts';

/** A run script and a PoC where the runner can read them. */
export interface StagedPoc {
  script: string;
  poc: string;
  remove(): Promise<void>;
}

/**
 * Stages the run script and `poc`, one of the task's, for one run: owned by root, readable by the runner, in a directory
 * that the runner can't write. Of a PoC in a sub-directory that holds nothing hidden but PoCs the whole top-level
 * directory is staged, a Go module for instance. Source: spec/runtime §3.6; design §5.
 * @throws DaemonError `not_configured` when a file is not in this container
 */
export async function stagePoc(task: Task, runScript: string, poc: string, area: RunnerArea): Promise<StagedPoc> {
  for (const path of [runScript, poc]) {
    if (!lstatSync(path, { throwIfNoEntry: false })) {
      throw new DaemonError('not_configured', `${path} is not in this container`);
    }
  }
  const stage = area.newPath('poc');
  await mkdir(stage, { mode: 0o700 });

  const script = join(stage, 'script', basename(runScript));
  await mkdir(dirname(script));
  await copyFile(runScript, script);
  await chmod(script, lstatSync(runScript).mode & 0o777);

  const path = relative(task.dir, poc);
  const [top = ''] = path.split('/');
  const staged = join(stage, 'files', path);
  if (isWholeDirectory(task, join(task.dir, top), poc)) {
    await mkdir(join(stage, 'files'));
    await cp(join(task.dir, top), join(stage, 'files', top), { recursive: true, verbatimSymlinks: true });
  } else {
    await mkdir(dirname(staged), { recursive: true });
    await copyFile(poc, staged);
  }
  shareReadOnly(stage, area.account);
  return { script, poc: staged, remove: () => area.discard(stage) };
}

/** Whether all that lies beside the PoC may be staged with it. */
function isWholeDirectory(task: Task, top: string, poc: string): boolean {
  if (top === poc) return false;
  const scripts = [task.scripts.build, task.scripts.run, task.scripts.test].filter((path) => path !== null);
  const withheld = [...task.hidden, ...scripts].filter((path) => !task.pocs.includes(path));
  return !withheld.some((path) => path.startsWith(`${top}/`));
}

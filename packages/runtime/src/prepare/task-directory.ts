import { chmodSync, lchownSync, lstatSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTAINER } from '@ssebench/contracts/layout';
import { stringify } from 'yaml';
import { Directory } from '../system/directory.ts';
import type { CaseImage } from './check-image.ts';
import { keptEntries, type TaskEntry, withoutAnswerKeys } from './task-files.ts';

/** Closes the task's directory to everybody but root. The daemon opens the runner's share at its start. */
export function closeTaskDirectory(root: string): void {
  const top = join(root, CONTAINER.task);
  for (const { path } of [{ path: '' }, ...listEntries(root)]) lchownSync(join(top, path), 0, 0);
  chmodSync(top, 0o700);
}

/** Removes the answers from the image at `root`, and returns how many entries that were. */
export function removeAnswers(root: string, { config, task }: CaseImage): number {
  const top = join(root, CONTAINER.task);
  const entries = listEntries(root);
  const scripts = task.scripts.map((path) => readFileSync(join(top, path), 'latin1'));
  const kept = keptEntries(task, entries, scripts);
  let removed = 0;
  for (const { path, kind } of entries.toReversed()) {
    if (kept.has(path)) continue;
    if (kind === 'directory') rmdirSync(join(top, path));
    else unlinkSync(join(top, path));
    removed += 1;
  }
  writeFileSync(join(top, 'config.yaml'), stringify(withoutAnswerKeys(config)));
  return removed;
}

/** Everything below the task's directory, a directory before what it holds. */
function listEntries(root: string): TaskEntry[] {
  const entries: TaskEntry[] = [];
  const enter = (directory: Directory, prefix: string): void => {
    for (const name of directory.names()) {
      const path = `${prefix}${name}`;
      const stats = lstatSync(directory.at(name));
      const kind = stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other';
      entries.push({ path, kind });
      if (kind !== 'directory') continue;
      using inner = directory.openDirectory(name);
      enter(inner, `${path}/`);
    }
  };
  using top = Directory.open(join(root, CONTAINER.task));
  enter(top, '');
  return entries;
}

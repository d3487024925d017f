import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dottedPath } from '@ssebench/contracts/problems';
import { ThirdParty } from '@ssebench/contracts/third-party';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { listTasks, type Task } from '../../config/tasks.ts';
import { readYaml } from '../../config/yaml-document.ts';
import { type DockerfileModel, readDockerfile } from '../validate/dockerfile-model.ts';
import { reportOf } from '../validate/finding.ts';
import { readTaskTree, type TaskTree } from '../validate/task-tree.ts';
import { checkNotices } from './check-notices.ts';
import type { NoticedTask } from './notice.ts';
import { renderNotices } from './render-notices.ts';

export const NOTICES_SOURCE = 'third_party.json';
export const NOTICES_FILE = 'THIRD_PARTY.md';
/** What brings something of others into an image. */
const FETCHES =
  /\bgit\b[^&|;\n]*\bclone\b|\b(?:curl|wget)\b|\bgo (?:mod download|get|install)\b|\bcargo (?:fetch|install|vendor)\b/;

/**
 * The text of a dataset's `THIRD_PARTY.md`; null for a dataset that has no `third_party.json` and fetches nothing.
 * @throws UserError with everything that is wrong, by line
 */
export function makeNotices(datasetDir: string): string | null {
  const { tasks, problems: unreadable } = listTasks(datasetDir);
  if (unreadable.length > 0) throw new UserError(unreadable);
  const folders = tasks.map((task) => ({ task, ...folderOf(task) }));
  const path = join(datasetDir, NOTICES_SOURCE);
  const shown = showPath(path);
  if (!existsSync(path)) {
    const fetching = folders.filter(({ dockerfile }) =>
      dockerfile.allRuns.some(({ command }) => FETCHES.test(command)),
    );
    if (fetching.length === 0) return null;
    throw new UserError(
      `${shown}: no such file, but these tasks fetch what is others': ${fetching.map(({ task }) => task.id).join(', ')}`,
    );
  }
  const { value: thirdParty, lineOf } = readYaml(path, ThirdParty);
  const problems: { line: number; text: string }[] = [];
  const noticed = folders.flatMap(({ task, ...folder }): NoticedTask[] => {
    const entry = thirdParty.tasks[task.id];
    const upstream = entry && thirdParty.upstreams[entry.upstream];
    return upstream ? [{ id: task.id, config: task.config, ...folder, entry, upstream }] : [];
  });
  const context = { thirdParty, tasks: noticed, ids: tasks.map(({ id }) => id) };
  checkNotices(context, (at, message) => problems.push({ line: lineOf(at), text: `${dottedPath(at)}: ${message}` }));
  if (problems.length === 0) return renderNotices(basename(datasetDir), context);
  throw new UserError(problems.sort((a, b) => a.line - b.line).map(({ line, text }) => `${shown}:${line}: ${text}`));
}

/** What is wrong with the folder itself is `validate`'s to tell. */
function folderOf(task: Task): { tree: TaskTree; dockerfile: DockerfileModel } {
  const tree = readTaskTree(task.dir, reportOf(task.id).report);
  return { tree, dockerfile: readDockerfile(tree.text('Dockerfile') ?? '') };
}

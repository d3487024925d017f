import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { unknownName } from '@ssebench/contracts/closest';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { listTasks, type Task } from '../../config/tasks.ts';
import { caseBases } from '../../images/case.ts';
import { datasetsNamed } from '../locate.ts';
import { isFatal, sentenceOf } from '../validate/finding.ts';
import { validateDataset } from '../validate/validate.ts';

export interface Selection {
  home: string;
  /** Dataset folders, or names of home's datasets; undefined: every one of home. */
  dirs: readonly string[] | undefined;
  /** Only tasks that changed since the common ancestor of this commit and the present one. */
  changedSince: string | undefined;
}

/**
 * The tasks to verify: those named, else all, of the dataset folders. Source: spec/host §5.1.
 * @throws UserError for what is not there, for everything that makes a selected task invalid, and for two tasks with one ID
 */
export async function selectTasks(named: readonly string[], selection: Selection): Promise<Task[]> {
  const { folders, tasks: alsoNamed } = withoutTasks(selection.dirs ?? []);
  const ids = [...named, ...alsoNamed];
  const dirs = datasetsNamed(folders, selection);
  const tasks = dirs.flatMap((dir) => validTasks(dir, ids));
  refuseTwins(tasks);
  const known = tasks.map(({ id }) => id);
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new UserError(unknown.map((id) => unknownName('task', id, known)));
  const wanted = ids.length > 0 ? tasks.filter(({ id }) => ids.includes(id)) : tasks;
  const { changedSince, home } = selection;
  const selected = changedSince === undefined ? wanted : await changedTasks(wanted, changedSince, home);
  if (selected.length === 0 && changedSince === undefined)
    throw new UserError(`${dirs.map((dir) => showPath(dir)).join(', ')}: no tasks`);
  return selected;
}

/** `--dir` takes all words that follow it: those that are tasks of the folders before them are meant as such. */
function withoutTasks(words: readonly string[]): { folders: string[]; tasks: string[] } {
  const folders: string[] = [];
  const tasks: string[] = [];
  for (const word of words) {
    const isTask = !existsSync(word) && folders.some((folder) => existsSync(join(folder, word, 'sse')));
    (isTask ? tasks : folders).push(word);
  }
  return { folders, tasks };
}

/** The tasks of a dataset, after the rules that need no engine. Only the named ones have to be valid, where some are. */
function validTasks(dir: string, ids: readonly string[]): Task[] {
  const { findings } = validateDataset(dir);
  const wrong = findings.filter(
    (finding) => isFatal(finding, false) && (finding.task === null || ids.length === 0 || ids.includes(finding.task)),
  );
  const place = (task: string | null) => showPath(task === null ? dir : join(dir, task));
  if (wrong.length > 0) throw new UserError(wrong.map((finding) => `${place(finding.task)}: ${sentenceOf(finding)}`));
  return listTasks(dir).tasks;
}

/** Results are kept by the task's ID. */
function refuseTwins(tasks: readonly Task[]): void {
  const twins = [...Map.groupBy(tasks, ({ id }) => id.toLowerCase()).values()].filter((same) => same.length > 1);
  if (twins.length === 0) return;
  throw new UserError(
    twins.map(
      (same) =>
        `two tasks with one ID: ${same.map(({ dir }) => showPath(dir)).join(' and ')}; verify one dataset at a time`,
    ),
  );
}

/** A task changed when its folder did, or the folder of the image that it is built on. */
async function changedTasks(tasks: readonly Task[], since: string, home: string): Promise<Task[]> {
  const byFolder = await Promise.all(
    tasks.map(async (task) => {
      const base =
        basename(caseBases({ registry: '' }, task).final)
          .replace(/^base-/, '')
          .split(':')[0] ?? '';
      const folders = [task.dir, join(home, 'images/base', base)].filter(existsSync);
      return (await Promise.all(folders.map((folder) => isChanged(folder, since)))).includes(true);
    }),
  );
  return tasks.filter((_, index) => byFolder[index]);
}

/** Committed or not, new files too. */
async function isChanged(folder: string, since: string): Promise<boolean> {
  const ancestor = (await git(folder, ['merge-base', since, 'HEAD'])).trim();
  const [changed, added] = await Promise.all([
    git(folder, ['diff', '--name-only', ancestor, '--', '.']),
    git(folder, ['ls-files', '--others', '--exclude-standard', '--', '.']),
  ]);
  return changed !== '' || added !== '';
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('git', [...args], { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (cause) {
    const words = String((cause as { stderr?: string }).stderr ?? '').trim() || String(cause);
    throw new UserError(`--changed-since: git in ${relative('', cwd) || '.'}: ${words}`, 1, { cause });
  }
}

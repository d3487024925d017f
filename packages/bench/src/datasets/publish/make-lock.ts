import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ImagesLock, type PublicationRecord } from '@ssebench/contracts/dataset-manifest';
import { parseJson } from '@ssebench/contracts/json-document';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { listTasks, type Task } from '../../config/tasks.ts';
import { asUserError } from '../../config/yaml-document.ts';
import { readRecord } from './publish-task.ts';

/** The lock at this path; undefined when there is none. @throws UserError for one that is no lock */
export function readLock(path: string): ImagesLock | undefined {
  if (!existsSync(path)) return undefined;
  return asUserError(() => parseJson(readFileSync(path, 'utf8'), ImagesLock, showPath(path)));
}

/**
 * The lock of a dataset: what the present one pins of tasks that have not changed since, and on top what was published. Source:
 * spec/host §3.2.
 * @throws UserError for a dataset without a version, and for every record of another one or of other files
 */
export function makeLock(
  dir: string,
  current: ImagesLock | undefined,
  records: readonly PublicationRecord[],
): ImagesLock {
  const { tasks, dataset, version } = datasetAt(dir);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const problems = records.flatMap((record) => problemsOf(record, byId.get(record.task), { dataset, version }));
  if (problems.length > 0) throw new UserError(problems);
  const kept = current?.dataset === dataset && current.version === version ? current : undefined;
  const images: ImagesLock['images'] = {};
  const prebuilt: NonNullable<ImagesLock['prebuilt']> = {};
  for (const { id, filesDigest } of tasks) {
    const record = records.find(({ task }) => task === id);
    const old = kept?.images[id];
    const entry = record ?? (old?.files_sha256 === filesDigest ? old : undefined);
    if (!entry) continue;
    images[id] = { digest: entry.digest, files_sha256: entry.files_sha256, revision: entry.revision };
    const others = record?.prebuilt ?? (old?.digest === entry.digest ? kept?.prebuilt?.[id] : undefined);
    if (others) prebuilt[id] = others;
  }
  return { dataset, version, images, ...(Object.keys(prebuilt).length > 0 && { prebuilt }) };
}

/** What is wrong with a lock for the dataset as it is; one that pins a task that has changed since is right. */
export function lockProblems(dir: string, lock: ImagesLock | undefined): string[] {
  const { tasks, dataset, version } = datasetAt(dir);
  if (!lock) return ['missing'];
  if (lock.dataset !== dataset || lock.version !== version)
    return [`is of ${lock.dataset} ${lock.version}, the dataset is ${dataset} ${version}`];
  const known = new Set(tasks.map(({ id }) => id));
  const pinned = [...new Set([...Object.keys(lock.images), ...Object.keys(lock.prebuilt ?? {})])];
  return pinned.filter((id) => !known.has(id)).map((id) => `pins "${id}", which is no task of the dataset`);
}

export function renderLock(lock: ImagesLock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** The records in a folder, or in `published/` of the one that `dataset publish` writes to. @throws UserError for what is none */
export function readRecords(named: string): PublicationRecord[] {
  const dir = existsSync(join(named, 'published')) ? join(named, 'published') : named;
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError(`--records: ${named}: no such folder`);
  const names = readdirSync(dir).filter((name) => name.endsWith('.json'));
  if (names.length === 0)
    throw new UserError(
      `--records: ${named}: holds no record; name the output folder of dataset publish, such as results/dataset-verify`,
    );
  return names.sort().map((name) => readRecord(join(dir, name)));
}

function datasetAt(dir: string): { tasks: Task[]; dataset: string; version: string } {
  const { tasks, problems } = listTasks(dir);
  if (problems.length > 0) throw new UserError(problems);
  const version = tasks[0]?.datasetVersion;
  if (!version) throw new UserError(`${showPath(dir)}: has no task, or no dataset.yaml with a version`);
  return { tasks: tasks.sort((a, b) => (a.id < b.id ? -1 : 1)), dataset: basename(resolve(dir)), version };
}

function problemsOf(
  { task: id, ...record }: PublicationRecord,
  task: Task | undefined,
  { dataset, version }: { dataset: string; version: string },
): string[] {
  if (record.dataset !== dataset || record.version !== version)
    return [`the record of "${id}" is of ${record.dataset} ${record.version}, the dataset is ${dataset} ${version}`];
  if (!task) return [`the record of "${id}": the dataset has no such task`];
  if (task.filesDigest !== record.files_sha256)
    return [`the record of "${id}" is of other files: the task has changed since it was published`];
  return [];
}

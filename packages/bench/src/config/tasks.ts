import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { unknownName } from '@ssebench/contracts/closest';
import { DatasetInfo } from '@ssebench/contracts/dataset-info';
import type { PrebuiltImages } from '@ssebench/contracts/dataset-manifest';
import { TaskConfig, TaskId } from '@ssebench/contracts/task-config';
import type { TaskTests } from '@ssebench/contracts/task-expect';
import { UserError } from '../cli/errors.ts';
import { readTaskTests } from './evidence.ts';
import { showPath } from './show-path.ts';
import { digestOfFiles, hashFiles } from './task-files.ts';
import { readYaml } from './yaml-document.ts';

/** A task folder that was read and found sound in form. */
export interface Task {
  id: string;
  /** Name of the dataset's folder. */
  dataset: string;
  /** From `dataset.yaml`; null when the dataset has none. */
  datasetVersion: string | null;
  /** Absolute path of the task folder. */
  dir: string;
  config: TaskConfig;
  /** SHA-256 of every file of the folder, by POSIX path. */
  files: Record<string, string>;
  /** One digest of them all: what a case image was built from. */
  filesDigest: string;
  /** Null when its tests are not recorded. */
  tests: TaskTests | null;
}

/** Where a task's case image lies below a registry's prefix. */
export interface PublishedCase {
  /** Without prefix and tag. */
  image: string;
  /** Of the dataset; the image's tag. */
  version: string;
  /** Null: the image is found by its tag. */
  digest: string | null;
  /** What it was built on, without prefix. */
  base: string;
  arch: readonly string[];
  /** Where the digest stands, as messages show it. */
  lock: string | null;
  /** Its other images, where they were published too. */
  prebuilt: PrebuiltImages | null;
}

/** A task as runs need it: one of a folder, or one of a catalog. */
export interface RunTask extends Omit<Task, 'dir' | 'filesDigest'> {
  /** Absolute path of a task folder with exactly these files; null: there is none. */
  dir: string | null;
  /** Null: a catalog without it. */
  filesDigest: string | null;
  /** Undefined: the image is built from the folder. */
  published?: PublishedCase | undefined;
}

/**
 * Reads the task `id` of a dataset folder.
 * @throws UserError for a dataset or task that is not there, and for every problem of its config
 */
export function loadTask(datasetDir: string, id: string): Task {
  const ids = listTaskIds(datasetDir);
  if (!ids.includes(id)) throw new UserError(`${showPath(resolve(datasetDir))}: ${unknownName('task', id, ids)}`);
  return readTask(resolve(datasetDir), id, readDatasetVersion(datasetDir));
}

/** Every task of a dataset folder, and the problems of those that can't be read. @throws UserError when the folder is not there */
export function listTasks(datasetDir: string): { tasks: Task[]; problems: string[] } {
  const tasks: Task[] = [];
  const problems: string[] = [];
  const version = readDatasetVersion(datasetDir);
  for (const id of listTaskIds(datasetDir)) {
    try {
      tasks.push(readTask(resolve(datasetDir), id, version));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.lines);
    }
  }
  return { tasks, problems };
}

/** The names of a dataset's task folders, sorted: every subdirectory that is not hidden. @throws UserError when it is no directory */
function listTaskIds(datasetDir: string): string[] {
  const dir = resolve(datasetDir);
  if (!existsSync(dir)) throw new UserError(`${showPath(dir)}: no such dataset folder`);
  if (!statSync(dir).isDirectory()) throw new UserError(`${showPath(dir)}: is not a folder`);
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

function readTask(datasetDir: string, id: string, datasetVersion: string | null): Task {
  const dir = join(datasetDir, id);
  const shown = showPath(dir);
  const name = TaskId.safeParse(id);
  if (!name.success) throw new UserError(`${shown}: the folder's name is no task ID: ${name.error.issues[0]?.message}`);
  const configPath = join(dir, 'sse/config.yaml');
  const config = readYaml(configPath, TaskConfig);
  if (config.value.id !== id) {
    throw new UserError(
      `${showPath(configPath)}:${config.lineOf(['id'])}: id: must be the folder's name "${id}", is "${config.value.id}"`,
    );
  }
  const files = hashFiles(dir);
  if (files['Dockerfile'] === undefined) throw new UserError(`${shown}/Dockerfile: no such file`);
  const dataset = basename(datasetDir);
  const filesDigest = digestOfFiles(files);
  return { id, dataset, datasetVersion, dir, config: config.value, files, filesDigest, tests: readTaskTests(dir) };
}

function readDatasetVersion(datasetDir: string): string | null {
  const path = join(resolve(datasetDir), 'dataset.yaml');
  return existsSync(path) ? readYaml(path, DatasetInfo).value.version : null;
}

import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { DatasetInfo } from '@ssebench/contracts/dataset-info';
import { TaskConfig, TaskId } from '@ssebench/contracts/task-config';
import { DocumentError, readYaml, type YamlDocument } from '@ssebench/contracts/yaml-document';
import type { z } from 'zod';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { checkConfig } from './check-config.ts';
import { checkDiffs } from './check-diffs.ts';
import { checkEvidence } from './check-evidence.ts';
import { checkFillIns } from './check-fill-ins.ts';
import { checkImage } from './check-image.ts';
import { checkReports } from './check-reports.ts';
import { checkScripts } from './check-scripts.ts';
import { type DockerfileModel, readDockerfile } from './dockerfile-model.ts';
import { type Finding, type Report, reportOf } from './finding.ts';
import type { RuleName } from './rules.ts';
import { CONFIG_FILE, namedFiles } from './task-context.ts';
import { readTaskTree, type TaskTree } from './task-tree.ts';

/** What the rules found in one dataset, or in one task of it. */
export interface Validation {
  /** Absolute. */
  dir: string;
  /** Names of the task folders that were looked at, sorted. */
  tasks: readonly string[];
  findings: readonly Finding[];
}

/**
 * Looks at a dataset folder by every rule, and finds everything that is wrong with it. Builds and runs nothing.
 * @throws UserError when there is no such folder
 */
export function validateDataset(datasetDir: string): Validation {
  const dir = existingFolder(datasetDir);
  const { report, findings } = reportOf(null);
  refuseOther(dir);
  readDocument(join(dir, 'dataset.yaml'), 'dataset.yaml', DatasetInfo, 'dataset-info', report);
  const tasks = taskFolders(dir);
  for (const { name } of readdirSync(dir, { withFileTypes: true }).filter(isFolderLink(dir))) {
    report('link-out', { file: name }, 'is a link to a folder; a task is a folder of the dataset itself');
  }
  if (tasks.length === 0) report('no-tasks', {}, 'has no task folder');
  for (const group of Map.groupBy(tasks, (name) => name.toLowerCase()).values()) {
    if (group.length > 1) report('same-image', {}, `the tasks ${group.join(' and ')} would share one image name`);
  }
  return { dir, tasks, findings: [...findings, ...tasks.flatMap((name) => findingsOf(join(dir, name)))] };
}

/** The same for one task folder. @throws UserError when there is no such folder */
export function validateTask(taskDir: string): Validation {
  const dir = existingFolder(taskDir);
  return { dir, tasks: [basename(dir)], findings: findingsOf(dir) };
}

/** The names of a dataset's task folders, sorted by code point: every subdirectory that is not hidden. */
function taskFolders(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** One message for a folder that was never meant to be a dataset, not one for each folder in it. */
function refuseOther(dir: string): void {
  const has = (...path: string[]) => existsSync(join(dir, ...path));
  if (has('dataset.yaml') || taskFolders(dir).some((name) => has(name, 'sse') || has(name, 'Dockerfile'))) return;
  throw new UserError(
    `${showPath(dir)}: is no dataset: it has no dataset.yaml, and no folder of a task (sse/, Dockerfile)`,
  );
}

function isFolderLink(dir: string): (entry: Dirent) => boolean {
  return (entry) =>
    entry.isSymbolicLink() && (statSync(join(dir, entry.name), { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function existingFolder(given: string): string {
  const dir = resolve(given);
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (!stat) throw new UserError(`${showPath(dir)}: no such folder`);
  if (!stat.isDirectory()) throw new UserError(`${showPath(dir)}: is not a folder`);
  return dir;
}

function findingsOf(dir: string): Finding[] {
  const id = basename(dir);
  const { report, findings } = reportOf(id);
  const name = TaskId.safeParse(id);
  if (!name.success) report('task-id', {}, `the folder's name ${name.error.issues[0]?.message}, found "${id}"`);
  const tree = readTaskTree(dir, report);
  checkFillIns(tree, report);
  const config = configOf(tree, id, report);
  const dockerfile = dockerfileOf(tree, report);
  if (config && dockerfile) {
    const context = { tree, config: config.value, lineOf: config.lineOf, dockerfile, report };
    const files = namedFiles(context);
    checkImage(context, files);
    checkConfig(context);
    checkScripts(context, files);
    checkReports(context, files, checkDiffs(context, files));
    checkEvidence(context);
  }
  return findings;
}

function configOf(tree: TaskTree, id: string, report: Report): YamlDocument<TaskConfig> | undefined {
  if (tree.outside.has(CONFIG_FILE) || tree.outside.has('sse')) return undefined;
  if (!tree.files.has(CONFIG_FILE)) {
    report(
      'config',
      { file: CONFIG_FILE },
      tree.links.has(CONFIG_FILE) ? 'is a link that leads to no file' : 'no such file',
    );
    return undefined;
  }
  const config = readDocument(join(tree.root, CONFIG_FILE), CONFIG_FILE, TaskConfig, 'config', report);
  if (config && config.value.id !== id) {
    const place = { file: CONFIG_FILE, line: config.lineOf(['id']), key: 'id' };
    report('id-differs', place, `must be the folder's name "${id}", found "${config.value.id}"`);
  }
  return config;
}

function dockerfileOf(tree: TaskTree, report: Report): DockerfileModel | undefined {
  if (tree.outside.has('Dockerfile')) return undefined;
  const text = tree.text('Dockerfile');
  if (text === undefined) {
    report('dockerfile', { file: 'Dockerfile' }, tree.files.has('Dockerfile') ? 'is no text' : 'no such file');
    return undefined;
  }
  const dockerfile = readDockerfile(text);
  for (const { line, message } of dockerfile.problems) report('dockerfile', { file: 'Dockerfile', line }, message);
  return dockerfile.problems.length === 0 ? dockerfile : undefined;
}

function readDocument<S extends z.ZodType>(path: string, file: string, schema: S, rule: RuleName, report: Report) {
  try {
    return readYaml(path, schema, file);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    for (const { line = null, key = null, message } of error.problems) report(rule, { file, line, key }, message);
    return undefined;
  }
}

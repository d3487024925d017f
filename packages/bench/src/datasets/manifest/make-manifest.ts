import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DatasetManifest, ManifestTask } from '@ssebench/contracts/dataset-manifest';
import { checksOf } from '@ssebench/contracts/task-config';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { listTasks, type Task } from '../../config/tasks.ts';
import { caseName } from '../../images/case.ts';
import { REGISTRY, readDockerfile } from '../validate/dockerfile-model.ts';

/** Where a dataset's manifest lies in its folder. */
export const MANIFEST_FILE = 'manifest.json';

/**
 * The manifest of a dataset folder; it depends on nothing but that folder and `generatedFrom`. Source: spec/host §3.1.
 * @throws UserError for a folder that is no dataset, and with every task that can't be read
 */
export function makeManifest(datasetDir: string, generatedFrom?: string): DatasetManifest {
  const { tasks, problems } = listTasks(datasetDir);
  if (problems.length > 0) throw new UserError(problems);
  const [first] = tasks;
  const shown = showPath(resolve(datasetDir));
  if (!first) throw new UserError(`${shown}: has no tasks`);
  if (first.datasetVersion === null) throw new UserError(`${shown}/dataset.yaml: no such file`);
  return {
    dataset: first.dataset,
    version: first.datasetVersion,
    ...(generatedFrom === undefined ? {} : { generated_from: generatedFrom }),
    tasks: tasks.map(entryOf),
  };
}

/** Indented by 2, nothing escaped that need not be, files in the order of their paths, a final line end. */
export function renderManifest({ tasks, ...head }: DatasetManifest): string {
  // Keys that look like integers would come first in an object: a file may have such a name.
  const ordered = tasks.map(({ files, ...task }) => ({
    ...task,
    files: new Map(Object.entries(files ?? {}).sort(byPath)),
  }));
  return `${jsonText({ ...head, tasks: ordered.map(inOrder) }, '')}\n`;
}

function entryOf(task: Task): ManifestTask {
  const { id, config, files } = task;
  const { base } = readDockerfile(readFileSync(join(task.dir, 'Dockerfile'), 'utf8'));
  return {
    id,
    language: config.language,
    project: config.project,
    repository: config.repository,
    base: base.startsWith(`${REGISTRY}/`) ? base.slice(REGISTRY.length + 1) : base,
    image: caseName(task),
    arch: ['amd64'],
    checks: checksOf(config),
    files,
    metadata: config,
  };
}

function inOrder({ metadata, files, ...task }: Omit<ManifestTask, 'files'> & { files: Map<string, string> }) {
  return { ...task, files, metadata };
}

function byPath([a]: [string, string], [b]: [string, string]): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** As `JSON.stringify` with an indent of 2, maps as objects in their order. */
function jsonText(value: unknown, indent: string): string {
  const deeper = `${indent}  `;
  const block = (open: string, parts: readonly string[], close: string) =>
    parts.length === 0 ? open + close : `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
  if (Array.isArray(value))
    return block(
      '[',
      value.map((item) => jsonText(item, deeper)),
      ']',
    );
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const entries: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return block(
    '{',
    entries.map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item, deeper)}`),
    '}',
  );
}

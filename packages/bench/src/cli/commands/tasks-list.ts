import type { ManifestTask } from '@ssebench/contracts/dataset-manifest';
import { checksOf } from '@ssebench/contracts/task-config';
import { listTasks, type Task } from '../../config/tasks.ts';
import { catalogSource, type LockedCatalog, openCatalog, pinOf } from '../../datasets/catalog/find-task.ts';
import { caseBases, caseName } from '../../images/case.ts';
import { UserError } from '../errors.ts';
import { type Host, openHost } from '../host.ts';
import { columns, print, printJson, warn } from '../output.ts';

export interface TasksListOptions {
  local?: string;
  catalog?: string;
  json?: boolean;
}

/** As the catalog service answers: without files and metadata. Source: spec/host §§1.5, 3.1. */
type ListedTask = Omit<ManifestTask, 'files' | 'metadata'>;

/** `ssebench tasks list`. Tasks that can't be read are told on standard error, and the status is 1. Source: spec/host §1.5. */
export async function tasksList(options: TasksListOptions): Promise<number> {
  if (options.local !== undefined && options.catalog !== undefined) {
    throw new UserError('--local and --catalog exclude each other', 2);
  }
  const host = openHost();
  const { tasks, problems } = options.local === undefined ? await cataloged(options, host) : local(options.local, host);
  if (options.json) printJson(tasks);
  else if (tasks.length > 0) {
    print(
      columns(
        ['TASK', 'LANGUAGE', 'PROJECT'],
        tasks.map(({ id, language, project }) => [id, language, project]),
      ),
    );
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (tasks.length === 0 && problems.length === 0) process.stderr.write(`${options.local}: has no tasks\n`);
  return problems.length > 0 ? 1 : 0;
}

function local(dir: string, { settings: { registry } }: Host): { tasks: ListedTask[]; problems: string[] } {
  const { tasks, problems } = listTasks(dir);
  return { tasks: tasks.map((task) => entryOf(task, registry)), problems };
}

function entryOf(task: Task, registry: string): ListedTask {
  const { id, datasetVersion, config } = task;
  const image = `${registry}/${caseName(task)}`;
  return {
    id,
    language: config.language,
    project: config.project,
    repository: config.repository,
    base: caseBases({ registry }, task).final,
    image: datasetVersion === null ? image : `${image}:${datasetVersion}`,
    arch: ['amd64'],
    checks: checksOf(config),
  };
}

async function cataloged(options: TasksListOptions, host: Host) {
  const catalog = await openCatalog(catalogSource(options.catalog, host), host.settings);
  for (const warning of catalog.warnings) warn(warning);
  const { registry } = host.settings;
  const tasks = catalog.manifest.tasks.map(({ files, metadata, ...task }) => ({
    ...task,
    base: `${registry}/${task.base}`,
    image: imageOf({ ...task, files, metadata }, catalog, registry),
  }));
  return { tasks: tasks.sort((a, b) => (a.id < b.id ? -1 : 1)), problems: [] };
}

function imageOf(task: ManifestTask, { manifest, lock }: LockedCatalog, registry: string): string {
  const { digest, warning } = pinOf(task, lock);
  if (warning) warn(warning);
  return `${registry}/${task.image}${digest ? `@${digest}` : `:${manifest.version}`}`;
}

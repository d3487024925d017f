import { checksOf } from '@ssebench/contracts/task-config';
import { listTasks, type Task } from '../../config/tasks.ts';
import { caseBases, caseName } from '../../images/case.ts';
import { openHost } from '../host.ts';
import { columns, print, printJson } from '../output.ts';

export interface TasksListOptions {
  local: string;
  json?: boolean;
}

/** `ssebench tasks list`. Tasks that can't be read are told on standard error, and the status is 1. Source: spec/host §1.5. */
export function tasksList(options: TasksListOptions): number {
  const { registry } = openHost().settings;
  const { tasks, problems } = listTasks(options.local);
  if (options.json) printJson(tasks.map((task) => entryOf(task, registry)));
  else if (tasks.length > 0) {
    print(
      columns(
        ['TASK', 'LANGUAGE', 'PROJECT'],
        tasks.map(({ id, config }) => [id, config.language, config.project]),
      ),
    );
  }
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (tasks.length === 0 && problems.length === 0) process.stderr.write(`${options.local}: has no tasks\n`);
  return problems.length > 0 ? 1 : 0;
}

/** As the catalog service answers: without files and metadata. Source: spec/host §§1.5, 3.1. */
function entryOf(task: Task, registry: string) {
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

import { join, resolve } from 'node:path';
import { FaultError } from '@ssebench/contracts/faults';
import { showPath } from '../../config/show-path.ts';
import { listTasks, loadTask, type Task } from '../../config/tasks.ts';
import { buildCases } from '../../images/build-cases.ts';
import { createProgress } from '../../progress/create-progress.ts';
import { UserError } from '../errors.ts';
import { openHost, withEngine } from '../host.ts';
import { imageContext } from '../image-context.ts';
import { parseCount } from '../option-values.ts';
import { print } from '../output.ts';

export interface BuildCaseOptions {
  benchmarks?: string;
  tasks?: string;
  force?: boolean;
  jobs?: string;
  extraCa?: string;
}

/** `ssebench build-case`. Status 1 when there is no task or any image fails. Source: spec/host §1.3. */
export async function buildCase(options: BuildCaseOptions): Promise<number> {
  const jobs = options.jobs === undefined ? 1 : parseCount('--jobs', options.jobs, 1, 64);
  const host = openHost();
  const dir = options.benchmarks === undefined ? join(host.home, 'datasets/starter') : resolve(options.benchmarks);
  const tasks = tasksOf(dir, options.tasks);
  return withEngine(async (engine) => {
    const progress = createProgress();
    const { signal } = new AbortController();
    const context = imageContext(host, engine, { progress, signal, extraCa: options.extraCa });
    const { succeeded, failed, outcomes } = await buildCases(context, tasks, { jobs, force: options.force ?? false });
    progress.close();
    for (const { task, error } of outcomes) if (error) process.stderr.write(`${task.id}: ${reasonOf(error)}\n`);
    print(`${succeeded} succeeded, ${failed} failed`);
    const names = outcomes.filter(({ error }) => error).map(({ task }) => task.id);
    if (names.length > 0) print(`Failed: ${names.join(', ')}`);
    return failed > 0 ? 1 : 0;
  });
}

/** @throws UserError when there is none, and for every task that can't be read */
function tasksOf(dir: string, ids: string | undefined): Task[] {
  if (ids !== undefined) {
    const named = ids
      .split(',')
      .map((id) => id.trim())
      .filter(Boolean);
    if (named.length === 0) throw new UserError('--tasks: names no task');
    return [...new Set(named)].map((id) => loadTask(dir, id));
  }
  const { tasks, problems } = listTasks(dir);
  if (problems.length > 0) throw new UserError(problems);
  if (tasks.length === 0) throw new UserError(`${showPath(dir)}: has no tasks`);
  return tasks;
}

function reasonOf(error: Error): string {
  return error instanceof FaultError ? error.fault.detail : error.message;
}

import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { unknownName } from '@ssebench/contracts/closest';
import { connectEngine } from '@ssebench/engine/docker/connect';
import { extraCaPath } from '../../config/extra-ca-path.ts';
import { listTasks, loadTask, type Task } from '../../config/tasks.ts';
import { shippedDatasets } from '../../datasets/locate.ts';
import { type TreeTrial, tryTask } from '../../datasets/try/try-task.ts';
import { createProgress } from '../../progress/create-progress.ts';
import { logTail } from '../../results/log-tail.ts';
import type { GradingOptions } from '../../run/command-line.ts';
import type { RunContext } from '../../run/run-stage.ts';
import { UserError } from '../errors.ts';
import { type Host, openHost } from '../host.ts';
import { guardInterrupts } from '../interrupt.ts';
import { parseCount } from '../option-values.ts';
import { print } from '../output.ts';
import { VERSION } from '../version.ts';

export interface TaskTryOptions extends Omit<GradingOptions, 'task'> {
  lines: string;
}

const INTERRUPTED = 130;
const LINES = 100_000;
/** More than logs hold, bytes. */
const LOG_LIMIT = 4 * 1024 * 1024;
const TITLES = { vulnerable: 'The vulnerable tree', fixed: 'The tree with the reference patch' } as const;

/**
 * `ssebench task try`: what each script prints on the vulnerable tree, on the fixed one, and there with the hidden tests.
 * Status 1 when a script does not what it does for a sound task.
 * @throws UserError for a task that there is not; EngineError before anything has started
 */
export async function taskTry(named: string, { lines, ...options }: TaskTryOptions): Promise<number> {
  const most = parseCount('--lines', lines, 0, LINES);
  const host = openHost();
  const task = taskOf(named, host);
  guardInterrupts();
  const world = {
    home: host.home,
    workspace: host.workspace,
    settings: host.settings,
    cwd: process.cwd(),
    startedAt: new Date(),
    random: randomBytes(3),
  };
  let status = 0;
  // Its runs have a folder of their own for results, to which a relative path is not meant.
  const extraCa = extraCaPath(options.extraCa, world.cwd);
  const given = extraCa === undefined ? options : { ...options, extraCa };
  await tryTask(task, given, { world, context: () => contextOf(host) }, (trial) => {
    tell(trial, most);
    if (trial.interrupted) status = INTERRUPTED;
    else if (trial.error !== null || trial.trials.some(({ asExpected }) => !asExpected)) status ||= 1;
  });
  if (task.config.files.patch === null)
    print('The task has no reference patch (files.patch), so nothing else can be tried.');
  return status;
}

/** A task folder, or the ID of a task of home's datasets. */
function taskOf(named: string, { home }: Host): Task {
  const path = resolve(named);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    if (existsSync(join(path, 'dataset.yaml')))
      throw new UserError(`${named}: is a dataset; name the folder of a task in it`);
    return loadTask(dirname(path), basename(path));
  }
  const known = shippedDatasets({ home }).map((dir) => ({ dir, ids: listTasks(dir).tasks.map(({ id }) => id) }));
  const holding = known.filter(({ ids }) => ids.includes(named));
  const [only] = holding;
  if (only && holding.length === 1) return loadTask(only.dir, named);
  if (holding.length > 1)
    throw new UserError(`${named}: in ${holding.map(({ dir }) => dir).join(' and ')}; name its folder`);
  throw new UserError(
    `no such folder, and ${unknownName(
      'task',
      named,
      known.flatMap(({ ids }) => ids),
    )}`,
  );
}

function contextOf({ home, workspace, settings }: Host): RunContext {
  return {
    home,
    workspace,
    registry: settings.registry,
    debianMirror: settings.get('SSEBENCH_DEBIAN_MIRROR'),
    hostMounts: settings.hostMounts,
    version: VERSION,
    progress: createProgress(),
    connect: () => connectEngine(),
    gateway: () => Promise.reject(new Error('a grade uses no model')),
  };
}

function tell({ tree, trials, directory, error }: TreeTrial, most: number): void {
  print(`== ${TITLES[tree]}`);
  if (error !== null) print(`could not be graded: ${error}`);
  let hidden = false;
  for (const { script, how, verdict, record } of trials) {
    if (record.check === 'intent_test' && !hidden) print(`== ${TITLES[tree]}, with the hidden tests`);
    hidden ||= record.check === 'intent_test';
    print(`${script}: ${how}: ${verdict}`);
    const log = record.log === null || most === 0 ? [] : (logTail(join(directory, record.log), LINES, LOG_LIMIT) ?? []);
    for (const line of bothEnds(withoutEmptyEnd(log), most)) print(`    ${line}`);
  }
}

/** What a script says first is often what went wrong, what it says last how it ended. */
function bothEnds(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const first = Math.ceil(most / 2);
  const left = `… ${lines.length - most} lines left out, --lines ${lines.length} shows all`;
  return [...lines.slice(0, first), left, ...lines.slice(lines.length - most + first)];
}

/** A log ends with the heads of streams that had nothing to say. */
function withoutEmptyEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '' && !/^=== \w+ ===$/.test(line));
  return lines.slice(0, last + 1);
}

import type { Task } from '../config/tasks.ts';
import { buildCase, caseBases, findCase } from './case.ts';
import { ensureCaseBases, planBases } from './case-bases.ts';
import type { ImageContext } from './context.ts';
import { diskNotice, type PlannedImage } from './disk.ts';
import type { BuildProgress } from './progress.ts';

export interface CasesOptions {
  /** How many are built at once; default 1. */
  jobs?: number;
  /** Builds also those that are up to date. */
  force?: boolean;
}

export interface CaseOutcome {
  task: Task;
  /** Nothing had to be built. */
  cached: boolean;
  /** Why there is no image. */
  error?: Error;
}

export interface CasesBuilt {
  succeeded: number;
  failed: number;
  /** In the order of the tasks. */
  outcomes: readonly CaseOutcome[];
}

/**
 * The case images of these tasks, with the bases that they need. One that fails doesn't keep the others from being built.
 * @throws EngineError `aborted` when the signal fires
 */
export async function buildCases(
  context: ImageContext,
  tasks: readonly Task[],
  { jobs = 1, force = false }: CasesOptions = {},
): Promise<CasesBuilt> {
  await sayDisk(context, tasks);
  const outcomes: CaseOutcome[] = [];
  const bases = oneAtATime();
  const remaining = [...tasks.entries()];
  const worker = async () => {
    for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
      const [index, task] = next;
      const own = jobs > 1 ? { ...context, progress: prefixed(context.progress, task.id) } : context;
      outcomes[index] = await buildOne(own, task, force, bases);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(jobs, tasks.length)) }, worker));
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  return { succeeded: outcomes.length - failed, failed, outcomes };
}

async function buildOne(context: ImageContext, task: Task, force: boolean, bases: OneAtATime): Promise<CaseOutcome> {
  const { progress, signal } = context;
  const name = `case image ${task.dataset}/${task.id}`;
  try {
    if (!force && (await findCase(context, task))) {
      progress.step(name);
      progress.done(true);
      return { task, cached: true };
    }
    // Most tasks share their bases, so the first builds them and the others find them.
    const registry = await bases(() => ensureCaseBases(context, caseBases(context, task).all));
    progress.step(name);
    await buildCase(context, task, registry);
    progress.done(false);
    return { task, cached: false };
  } catch (error) {
    signal.throwIfAborted();
    return { task, cached: false, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

async function sayDisk(context: ImageContext, tasks: readonly Task[]): Promise<void> {
  const missing: Task[] = [];
  for (const task of tasks) if (!(await findCase(context, task))) missing.push(task);
  const refs = new Set(missing.flatMap((task) => caseBases(context, task).all));
  const bases = await planBases(context, [...refs]);
  const notice = diskNotice([...new Set(bases), ...missing.map((): PlannedImage => 'case')]);
  if (notice) context.progress.notice(notice);
}

/** Several at once share the display, so each line says whose it is. */
function prefixed(progress: BuildProgress, name: string): BuildProgress {
  return {
    step: (step) => progress.line(`${name}: ${step}`),
    line: (text) => progress.line(`${name}: ${text}`),
    notice: (text) => progress.notice(`${name}: ${text}`),
    done: () => undefined,
  };
}

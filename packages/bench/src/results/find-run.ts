import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UserError } from '../cli/errors.ts';
import { readOwner } from './owner.ts';
import { type FinishedRun, scanResults, type UnfinishedRun } from './scan.ts';

/** Exit statuses of `runs`. Source: spec/host §1.6. */
export const NO_SUCH_RUN = 3;
const SEVERAL_RUNS = 4;

export type FoundRun = { ended: true; run: FinishedRun } | { ended: false; run: UnfinishedRun };

/** The run of a results folder with this ID. @throws UserError with status 3 when there is none, 4 when there are several */
export function findRun(root: string, runId: string): FoundRun {
  const { finished, unfinished } = scanResults(root);
  const found: FoundRun[] = [
    ...finished.filter((run) => run.run_id === runId).map((run) => ({ ended: true as const, run })),
    ...unfinished.filter((run) => run.run_id === runId).map((run) => ({ ended: false as const, run })),
  ];
  const [only] = found;
  if (!only)
    throw new UserError(
      `${root}: holds no run "${runId}"; "ssebench runs results" lists those that ended`,
      NO_SUCH_RUN,
    );
  if (found.length > 1)
    throw severalRuns(
      runId,
      found.map(({ run }) => run.dir),
    );
  return only;
}

/** The run in a directory, or with an ID in a results folder. @throws UserError as `findRun`; with status 3 for a directory that is none */
export function findRunAt(root: string, idOrDirectory: string, cwd: string): FoundRun {
  if (!idOrDirectory.includes('/')) return findRun(root, idOrDirectory);
  const named = resolve(cwd, idOrDirectory);
  const directory = existsSync(named) ? realpathSync(named) : named;
  const ended = scanResults(dirname(directory)).finished.find(({ dir }) => dir === directory);
  if (ended) return { ended: true, run: ended };
  const owner = readOwner(directory);
  if (!owner) throw new UserError(`${named}: is no directory of a run`, NO_SUCH_RUN);
  const { run_id, task, settings } = owner;
  const { model, agent } = settings;
  return { ended: false, run: { run_id, task: task.id, model, agent, dir: directory } };
}

/** IDs are unique only for one task, model and agent. */
export function severalRuns(runId: string, places: readonly string[]): UserError {
  return new UserError([`several runs have the ID "${runId}":`, ...places.map((place) => `  ${place}`)], SEVERAL_RUNS);
}

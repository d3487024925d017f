import { lstat, mkdir, readlink, rename, rm, symlink, unlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { UserError } from '../cli/errors.ts';
import { LIVE } from '../results/scan.ts';

/** Files of a container's results directory, and the directory that is mounted as the agent's archive. */
const PARTS = { work: 'work', grade: 'grade', archive: 'archive' } as const;

/**
 * A run's directory. Until the run ends it lies at an opaque path, `<results>/.live/<8 hex>`, which is what containers
 * may learn of it; `<results>/<task>/<model>/<agent>/<run-id>` is a link to it. Then the directory takes the link's place.
 */
export interface RunDirectory {
  /** The final path, absolute. */
  readonly path: string;
  /** Where files are written while the run goes on, absolute. */
  readonly live: string;
  /** The 8 hex digits that name it for containers. */
  readonly token: string;
  /** Mounted as the results of the work, or of the grade container; and as the agent's archive. */
  readonly work: string;
  readonly grade: string;
  readonly archive: string;
}

/** The parts of a path below the results root. A model's name may hold `/`. */
export interface RunName {
  task: string;
  model: string;
  agent: string;
  runId: string;
}

export function runPath(resultsRoot: string, { task, model, agent, runId }: RunName): string {
  return join(resultsRoot, task, model, agent, runId);
}

/** The paths of a run that has its files at `token`. Makes nothing. */
export function runDirectory(resultsRoot: string, name: RunName, token: string): RunDirectory {
  const live = join(resultsRoot, LIVE, token);
  return {
    path: runPath(resultsRoot, name),
    live,
    token,
    work: join(live, PARTS.work),
    grade: join(live, PARTS.grade),
    archive: join(live, PARTS.archive),
  };
}

/**
 * Makes the run's directory, lets `begin` write its first files, and only then gives it its name: whoever finds the name
 * finds a run that says what it is. Then the link `latest` beside it. When it fails nothing is left.
 * @throws UserError when the run ID is in use for this task, model and agent
 */
export async function createRunDirectory(directory: RunDirectory, begin: () => Promise<void>): Promise<void> {
  const { path, live } = directory;
  try {
    await mkdir(live, { recursive: true });
    for (const part of [directory.work, directory.grade, directory.archive]) await mkdir(part);
    await begin();
    await mkdir(dirname(path), { recursive: true });
    await symlink(relative(dirname(path), live), path);
  } catch (error) {
    await rm(live, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UserError(`the run directory ${path} exists; use another --run-id`);
  }
  await pointLatest(path);
}

/**
 * The finished directory takes the link's place. Safe to call again after a kill in its middle.
 * @throws UserError when another run has the name, which can only be when this one was killed before it got it
 */
export async function settleRunDirectory({ path, live }: RunDirectory): Promise<void> {
  const link = await readlink(path).catch(() => undefined);
  if (link !== undefined && resolve(dirname(path), link) === live) await unlink(path);
  else if (await lstat(path).catch(() => undefined)) throw new UserError(`${path} is another run; see ${live}`);
  await mkdir(dirname(path), { recursive: true });
  await rename(live, path);
}

/** `latest` is for people: where it can't be made, the run goes on without it. */
async function pointLatest(path: string): Promise<void> {
  const latest = join(dirname(path), 'latest');
  const runId = relative(dirname(path), path);
  const temporary = join(dirname(path), `.latest-${runId}`);
  try {
    await symlink(runId, temporary);
    await rename(temporary, latest);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EEXIST', 'EPERM', 'ENOTSUP', 'EISDIR', 'ENOTEMPTY', 'ENOSPC', 'EDQUOT'].includes(code)) throw error;
    await rm(temporary, { force: true });
  }
}

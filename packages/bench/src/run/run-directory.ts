import { randomBytes } from 'node:crypto';
import { mkdir, readlink, rename, rm, symlink, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
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
 * Makes the run's directory and the link `latest` beside it.
 * @throws UserError when the run ID is in use for this task, model and agent
 */
export async function createRunDirectory(resultsRoot: string, name: RunName): Promise<RunDirectory> {
  const directory = runDirectory(resultsRoot, name, randomBytes(4).toString('hex'));
  const { path, live } = directory;
  await mkdir(live, { recursive: true });
  for (const part of [directory.work, directory.grade, directory.archive]) await mkdir(part);
  await mkdir(dirname(path), { recursive: true });
  try {
    await symlink(relative(dirname(path), live), path);
  } catch (error) {
    await rm(live, { recursive: true });
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UserError(`the run directory ${path} exists; use another --run-id`);
  }
  await pointLatest(path, name.runId);
  return directory;
}

/** The finished directory takes the link's place. Safe to call again after a kill in its middle. */
export async function settleRunDirectory({ path, live }: RunDirectory): Promise<void> {
  const link = await readlink(path).catch(() => undefined);
  if (link !== undefined) await unlink(path);
  await mkdir(dirname(path), { recursive: true });
  await rename(live, path);
}

/** `latest` is for people: where a file system has no links, the run goes on without it. */
async function pointLatest(path: string, runId: string): Promise<void> {
  const latest = join(dirname(path), 'latest');
  const temporary = join(dirname(path), `.latest-${runId}`);
  try {
    await symlink(runId, temporary);
    await rename(temporary, latest);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EISDIR' && code !== 'ENOTEMPTY') throw error;
    await rm(temporary, { force: true });
  }
}

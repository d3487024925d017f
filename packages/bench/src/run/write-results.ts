import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CONTAINER } from '@ssebench/contracts/layout';
import { notGraded, type ResultFile } from '@ssebench/contracts/result';
import { Summary } from '@ssebench/contracts/summary';
import type { TaskConfig } from '@ssebench/contracts/task-config';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { unpackFile } from '@ssebench/engine/tar';
import { flushDirectory, writeFileAtomic } from '../results/atomic-write.ts';
import { OWNER_FILE } from '../results/owner.ts';
import { collectResults, dropParts } from './collect.ts';
import { readRegularFile } from './outcome-files.ts';
import type { RunOwner } from './owner.ts';
import { writeOwnerFile } from './owner-file.ts';
import type { RunRecord } from './record.ts';
import { makeReserve, useReserve } from './reserve.ts';
import { type RunDirectory, settleRunDirectory } from './run-directory.ts';
import { collectSnapshots, snapshotReport } from './run-snapshots.ts';
import { type RunFacts, summaryOf } from './summarize.ts';
import { testsReport } from './tests-report.ts';

/** The summary of a run whose outcome is decided, while its results are being written. */
const DECIDED_FILE = '.decided.json';

/** From a run's first moment on its directory says that it did not end, who owns it, and all that its summary will need. */
export async function writeFirstResult(directory: RunDirectory, facts: RunFacts, owner: RunOwner): Promise<void> {
  const result = {
    patch_result: notGraded('No result: the run has not ended'),
    runtime_result: { agent_duration: 0, agent_timeout: false, evaluator_timeout: false, agent_exit_code: null },
    config: facts.settings,
  } satisfies ResultFile;
  await makeReserve(directory);
  await writeFileAtomic(join(directory.live, 'result.json'), JSON.stringify(result));
  await writeOwnerFile(directory, facts, owner, null);
}

/**
 * Ends a run: decides its outcome, writes every file of it and gives the directory its place. The outcome stands once its
 * first file is written: after a kill at any later moment `finishRun` with `decidedOutcome` writes just that one.
 * @throws as `node:fs` does, such as on a full disk; then the run has not ended, and nothing is lost
 */
export async function endRun(directory: RunDirectory, facts: RunFacts, record: RunRecord): Promise<Summary> {
  await useReserve(directory);
  record.snapshots = await snapshotReport(directory);
  record.tests = await testsReport(directory, facts.task.tests, record.grade?.checks ?? []);
  const outcome = summaryOf(facts, record, new Date());
  await writeFileAtomic(join(directory.live, DECIDED_FILE), JSON.stringify(outcome));
  await finishRun(directory, outcome);
  return outcome;
}

/** The outcome of a run that was killed while it ended; undefined when it is not decided. */
export async function decidedOutcome({ live }: RunDirectory): Promise<Summary | undefined> {
  for (const name of ['summary.json', DECIDED_FILE]) {
    const text = await readFile(join(live, name), 'utf8').catch(() => undefined);
    if (text !== undefined) return Summary.parse(JSON.parse(text));
  }
  return undefined;
}

/** Writes what a decided outcome says. `summary.json` comes last: a directory with one is a run that has ended. */
export async function finishRun(directory: RunDirectory, outcome: Summary): Promise<void> {
  const { live } = directory;
  await useReserve(directory);
  if (existsSync(join(live, DECIDED_FILE))) await writeOutcome(directory, outcome);
  await dropParts(directory);
  await rm(join(live, OWNER_FILE), { force: true });
  await settleRunDirectory(directory);
}

async function writeOutcome(directory: RunDirectory, outcome: Summary): Promise<void> {
  const { live } = directory;
  const { patch_result, runtime_result, config, checks } = outcome;
  await collectResults(directory);
  await collectSnapshots(directory);
  if (checks.length > 0) await writeFileAtomic(join(live, 'checks.json'), JSON.stringify(checks));
  const result: ResultFile = { patch_result, runtime_result, config };
  await writeFileAtomic(join(live, 'result.json'), JSON.stringify(result));
  await rename(join(live, DECIDED_FILE), join(live, 'summary.json'));
  await flushDirectory(live);
}

/** Larger than any fix; bytes. */
const MAX_REFERENCE_PATCH = 16 * 1024 * 1024;

/**
 * `reference.patch`, for reports, where the task has one. Its absence changes nothing, so neither an engine that refuses nor
 * a disk that is full is an error here.
 */
export async function saveReferencePatch(
  { live }: RunDirectory,
  read: () => Promise<Uint8Array | undefined>,
): Promise<void> {
  try {
    const bytes = await read();
    if (bytes) await writeFileAtomic(join(live, 'reference.patch'), bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!isEngineError(error) && code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
  }
}

/** The task's reference patch in its folder. */
export async function patchInFolder(folder: string, { files }: TaskConfig): Promise<Buffer | undefined> {
  return files.patch ? readRegularFile(join(folder, 'sse', files.patch), MAX_REFERENCE_PATCH) : undefined;
}

/** The same in a container of the tool image, where the folder is not at hand. */
export async function patchInContainer(
  engine: ContainerEngine,
  id: string,
  { files }: TaskConfig,
): Promise<Uint8Array | undefined> {
  if (!files.patch) return undefined;
  const archive = await engine.getArchive(id, `${CONTAINER.task}/${files.patch}`);
  return unpackFile(archive, basename(files.patch), { maxBytes: MAX_REFERENCE_PATCH });
}

import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fault } from '@ssebench/contracts/faults';
import type { RunSettings } from '@ssebench/contracts/run-settings';
import { type OwnerFile, ownerLives, readOwner } from '../results/owner.ts';
import { readFullSummary } from '../results/run-summary.ts';
import { LIVE } from '../results/scan.ts';
import { collectResults } from '../run/collect.ts';
import { ownersDirectory } from '../run/owner.ts';
import { RunRecord } from '../run/record.ts';
import { type RunDirectory, runDirectory, settleRunDirectory } from '../run/run-directory.ts';
import { dropOwnerFile, writeResults } from '../run/write-results.ts';
import type { Leftover } from './leftovers.ts';

/** A command that just starts has a directory before it listens; milliseconds. */
const STARTING = 60_000;

/** Runs of a results folder whose owner was killed before it wrote their summary. */
export async function abandonedRuns(resultsRoot: string, now: Date): Promise<Leftover[]> {
  const root = resolve(resultsRoot);
  const found: Leftover[] = [];
  for (const token of namesIn(join(root, LIVE))) {
    const live = join(root, LIVE, token);
    const owner = readOwner(live);
    const summary = readFullSummary(live);
    if (owner) {
      if (await ownerLives(owner.socket)) continue;
      const { task, settings, runId } = owner.facts;
      const directory = runDirectory(root, { task: task.id, ...named(settings), runId }, token);
      found.push({ kind: 'run', name: directory.path, remove: () => finish(directory, owner) });
    } else if (summary) {
      const { task, config, run_id: runId } = summary;
      const directory = runDirectory(root, { task: task.id, ...named(config), runId }, token);
      if (isOld(live, now))
        found.push({ kind: 'run', name: directory.path, remove: () => settleRunDirectory(directory) });
    } else if (isOld(live, now)) {
      // Killed before its first file: there is nothing that could be told of it.
      found.push({ kind: 'directory', name: live, remove: () => rm(live, { recursive: true, force: true }) });
    }
  }
  return found;
}

/** Short host directories on whose socket nobody listens any more. */
export async function abandonedOwners(now: Date): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const name of namesIn(ownersDirectory())) {
    const dir = join(ownersDirectory(), name);
    if (!isOld(dir, now) || (await ownerLives(join(dir, 'owner.sock')))) continue;
    found.push({ kind: 'directory', name: dir, remove: () => rm(dir, { recursive: true, force: true }) });
  }
  return found;
}

function named({ model, agent }: RunSettings): { model: string; agent: string } {
  return { model, agent };
}

/** The run ends as one whose container was lost, unless its owner was killed after the summary. Its patch, if any, is kept. */
async function finish(directory: RunDirectory, { facts, directory: shortDirectory }: OwnerFile): Promise<void> {
  if (!existsSync(join(directory.live, 'summary.json'))) {
    const record = new RunRecord();
    record.fail(fault('container_lost', 'the command that conducted the run was killed'));
    if (existsSync(directory.work)) await collectResults(directory);
    await writeResults(directory, facts, record);
  }
  await dropOwnerFile(directory);
  await settleRunDirectory(directory);
  await rm(shortDirectory, { recursive: true, force: true });
}

function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

function isOld(path: string, now: Date): boolean {
  return now.getTime() - statSync(path).mtimeMs > STARTING;
}

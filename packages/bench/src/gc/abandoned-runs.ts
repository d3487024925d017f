import { existsSync, lstatSync, readdirSync, readlinkSync, statSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import type { OwnerFile } from '@ssebench/contracts/owner-file';
import type { ContainerEngine, Labels } from '@ssebench/engine/port';
import { ownerLives, ownerSocket, readOwner } from '../results/owner.ts';
import { readFullSummary } from '../results/run-summary.ts';
import { LIVE, scanResults } from '../results/scan.ts';
import { ownersDirectory, takeOver } from '../run/owner.ts';
import { type RunDirectory, runDirectory, settleRunDirectory } from '../run/run-directory.ts';
import type { Leftover } from './leftovers.ts';

/** A command that just starts has a directory before it listens; milliseconds. */
const STARTING = 60_000;

/** A run that has not ended and whose command was killed. */
export interface AbandonedRun {
  directory: RunDirectory;
  owner: OwnerFile;
}

/** Those of a results folder, in the order in which they were started. Cheap: a look at what goes on there. */
export async function abandonedRuns(resultsRoot: string): Promise<AbandonedRun[]> {
  const root = resolve(resultsRoot);
  const found: AbandonedRun[] = [];
  for (const token of namesIn(join(root, LIVE))) {
    const run = await abandonedRun(root, token);
    if (run) found.push(run);
  }
  return found.sort((a, b) => Date.parse(a.owner.started_at) - Date.parse(b.owner.started_at));
}

/** Those that have a container or a volume on the engine, in whatever results folder of this machine they are. */
export async function abandonedOnEngine(engine: ContainerEngine): Promise<AbandonedRun[]> {
  const found = new Map<string, AbandonedRun>();
  const ofRuns = { [LABEL.results]: '' };
  for (const { labels } of [...(await engine.listContainers(ofRuns)), ...(await engine.listVolumes(ofRuns))]) {
    const live = liveDirectory(labels);
    const run = live && (await abandonedRun(dirname(dirname(live.path)), live.token));
    if (run) found.set(run.directory.live, run);
  }
  return [...found.values()];
}

async function abandonedRun(root: string, token: string): Promise<AbandonedRun | undefined> {
  const owner = readOwner(join(root, LIVE, token));
  if (!owner || (await ownerLives(owner.socket))) return undefined;
  const { model, agent } = owner.settings;
  return { owner, directory: runDirectory(root, { task: owner.task.id, model, agent, runId: owner.run_id }, token) };
}

/** Whether what carries these labels belongs to a run that has not ended: then the run is brought to its end first. */
export function belongsToUnfinished(labels: Labels): boolean {
  const live = liveDirectory(labels);
  return live !== undefined && readOwner(live.path)?.socket === labels[LABEL.owner];
}

/** Where a run that has not ended has its files: its labels name a link to that. */
function liveDirectory(labels: Labels): { path: string; token: string } | undefined {
  const named = labels[LABEL.results];
  if (!named || !lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  const path = resolve(dirname(named), readlinkSync(named));
  const [, token] = /\/([0-9a-f]{8})$/.exec(path) ?? [];
  return token === undefined ? undefined : { path, token };
}

/** Directories of a results folder where a run only has to take its place, or never began. */
export async function deadDirectories(resultsRoot: string, now: Date): Promise<Leftover[]> {
  const root = resolve(resultsRoot);
  const found: Leftover[] = [];
  for (const token of namesIn(join(root, LIVE))) {
    const live = join(root, LIVE, token);
    if (readOwner(live) || (await ownerLives(ownerSocket(join(ownersDirectory(), token), 0)))) continue;
    const summary = readFullSummary(live);
    if (summary) {
      const { model, agent } = summary.config;
      const directory = runDirectory(root, { task: summary.task.id, model, agent, runId: summary.run_id }, token);
      found.push({ kind: 'run', name: directory.path, remove: () => settleRunDirectory(directory) });
    } else if (isOld(live, now)) {
      // Killed before its first file: there is nothing that could be told of it.
      found.push({ kind: 'directory', name: live, remove: () => removeNameless(root, live) });
    }
  }
  return found;
}

async function removeNameless(root: string, live: string): Promise<void> {
  for (const { dir } of scanResults(root).unfinished) {
    if (lstatSync(dir).isSymbolicLink() && resolve(dirname(dir), readlinkSync(dir)) === live) unlinkSync(dir);
  }
  await rm(live, { recursive: true, force: true });
}

/** Short host directories whose run has no owner any more and does not need them to come to its end. */
export async function abandonedOwners(now: Date, needed: ReadonlySet<string>): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const name of namesIn(ownersDirectory())) {
    const dir = join(ownersDirectory(), name);
    const socket = ownerSocket(dir, 0);
    if (needed.has(dir) || !isOld(dir, now) || (await ownerLives(socket))) continue;
    // Another command may take the run over at this moment: only who owns a directory may remove it.
    const remove = async () => (await takeOver({ directory: dir, socket }))?.release();
    found.push({ kind: 'directory', name: dir, remove });
  }
  return found;
}

function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

function isOld(path: string, now: Date): boolean {
  return now.getTime() - statSync(path).mtimeMs > STARTING;
}

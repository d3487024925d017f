import { type Dirent, existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { isSolved } from '@ssebench/contracts/integrity';
import { RunId } from '@ssebench/contracts/run-id';
import { type ListedSummary, readListedSummary } from './run-summary.ts';

/** Where runs that go on have their files, beneath the results folder. */
export const LIVE = '.live';
const LATEST = 'latest';

/** A run that ended, as `runs results` lists it. Source: spec/host §1.6. */
export interface FinishedRun {
  run_id: string;
  task: string;
  model: string | null;
  agent: string | null;
  mode: string | null;
  reference_run: boolean;
  status: string | null;
  /** Ours: see `isSolved`; null for a run that passed as it stands and whose summary tells nothing about the strict tree. */
  solved: boolean | null;
  started_at: string | null;
  /** Absolute. */
  dir: string;
}

/** A run's directory without a summary: it goes on, or its command was killed. */
export interface UnfinishedRun {
  run_id: string;
  task: string;
  model: string;
  agent: string;
  /** Absolute. */
  dir: string;
}

export interface ResultsScan {
  /** The newest first. */
  finished: FinishedRun[];
  unfinished: UnfinishedRun[];
}

/**
 * Every run beneath a results folder, at any depth, since a model's name may hold `/`. What is no run of ours is passed
 * over without a word; a folder that is not there has no runs.
 */
export function scanResults(root: string): ResultsScan {
  const scan: ResultsScan = { finished: [], unfinished: [] };
  const absolute = resolve(root);
  if (existsSync(absolute)) visit(absolute, absolute, scan);
  scan.finished.sort((a, b) => compare(b.started_at ?? '', a.started_at ?? '') || compare(b.run_id, a.run_id));
  return scan;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function visit(root: string, dir: string, scan: ResultsScan): void {
  for (const entry of entriesOf(dir)) {
    const path = join(dir, entry.name);
    if (entry.isSymbolicLink()) {
      if (entry.name !== LATEST && leadsToLive(root, path)) addUnfinished(root, path, scan);
    } else if (entry.isDirectory() && !(dir === root && entry.name === LIVE)) {
      visitDirectory(root, path, scan);
    }
  }
}

function visitDirectory(root: string, path: string, scan: ResultsScan): void {
  if (existsSync(join(path, 'summary.json'))) {
    const summary = readListedSummary(path);
    const run = summary && finishedRun(summary, path);
    if (run) scan.finished.push(run);
  } else if (existsSync(join(path, 'result.json'))) {
    addUnfinished(root, path, scan);
  } else {
    visit(root, path, scan);
  }
}

function finishedRun(summary: ListedSummary, dir: string): FinishedRun | undefined {
  const runId = summary.run_id ?? basename(dir);
  if (!RunId.safeParse(runId).success) return undefined;
  return {
    run_id: runId,
    task: summary.task.id,
    model: summary.config?.model ?? null,
    agent: summary.config?.agent ?? null,
    mode: summary.config?.mode ?? null,
    reference_run: summary.config?.reference_run ?? false,
    status: summary.patch_result?.status ?? null,
    solved: solvedOf(summary),
    started_at: summary.started_at ?? null,
    dir,
  };
}

function solvedOf({ patch_result, integrity }: ListedSummary): boolean | null {
  if (patch_result?.status !== 'passed') return false;
  return integrity === undefined ? null : isSolved({ patch_result: { status: 'passed' }, integrity });
}

/** Task, model, agent and run ID are the parts of the path: the model may have several. */
function addUnfinished(root: string, path: string, scan: ResultsScan): void {
  const parts = relative(root, path).split(sep);
  const [task, ...below] = parts;
  const runId = below.pop();
  const agent = below.pop();
  if (!task || !runId || !agent || below.length === 0 || !RunId.safeParse(runId).success) return;
  scan.unfinished.push({ run_id: runId, task, model: below.join('/'), agent, dir: path });
}

function leadsToLive(root: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(join(realpathSync(root), LIVE) + sep);
  } catch {
    // A link to nothing: the run's files are gone.
    return false;
  }
}

function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    // Not ours to read, or gone meanwhile.
    return [];
  }
}

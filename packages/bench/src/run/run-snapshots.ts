import { lstat, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { SNAPSHOT_CAPS, SNAPSHOT_FILES, SnapshotLine, type SnapshotReport } from '@ssebench/contracts/snapshots';
import { removeTemporaryFiles, writeFileAtomic } from '../results/atomic-write.ts';
import { readRegularFile } from './outcome-files.ts';
import type { RunDirectory } from './run-directory.ts';

/** Of an index of as many lines as there may be; bytes. */
const MAX_INDEX = SNAPSHOT_CAPS.count * 4096;

/** What a run's summary says of its snapshots; null when none were to be kept. */
export async function snapshotReport(directory: RunDirectory): Promise<SnapshotReport | null> {
  const lines = await linesOf(directory);
  if (!lines) return null;
  const kept = lines.filter((line) => 'file' in line);
  const problems = lines.filter((line) => 'problem' in line);
  return {
    kept: kept.length,
    bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0),
    first_change: kept[0]?.seconds ?? null,
    last_change: kept.at(-1)?.seconds ?? null,
    failed: problems.length,
    problem: problems.at(-1)?.problem ?? null,
  };
}

/**
 * Brings the snapshots of a run to `snapshots` in its directory, with an index of exactly those. Safe to call again after a
 * kill in its middle. @throws as `node:fs` does, such as on a full disk; then nothing is lost
 */
export async function collectSnapshots(directory: RunDirectory): Promise<void> {
  const lines = await linesOf(directory);
  if (!lines || lines.length === 0) return;
  const kept = join(directory.live, SNAPSHOT_FILES.directory);
  await mkdir(kept, { recursive: true });
  await removeTemporaryFiles(kept);
  for (const line of lines) {
    if ('file' in line) await moveUnlessGone(inWork(directory, line.file), join(kept, line.file));
  }
  const index = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFileAtomic(join(kept, SNAPSHOT_FILES.keptIndex), index);
}

/**
 * The lines that hold of what the container left, within the limits: each file a regular one of its own, and as large as is said.
 * Undefined without an index.
 */
async function linesOf(directory: RunDirectory): Promise<SnapshotLine[] | undefined> {
  const index = await readRegularFile(join(directory.work, SNAPSHOT_FILES.index), MAX_INDEX);
  if (!index) return undefined;
  const lines: SnapshotLine[] = [];
  const seen = new Set<string>();
  let total = 0;
  // What follows the last end of a line was cut short.
  for (const text of index.toString('utf8').split('\n').slice(0, -1).slice(0, SNAPSHOT_CAPS.count)) {
    const line = SnapshotLine.safeParse(jsonOf(text)).data;
    if (!line) continue;
    if ('file' in line) {
      if (seen.has(line.file) || total + line.bytes > SNAPSHOT_CAPS.total_bytes) continue;
      if ((await sizeOf(directory, line.file)) !== line.bytes) continue;
      seen.add(line.file);
      total += line.bytes;
    }
    lines.push(line);
  }
  return lines;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of a regular file that the container left, or that was brought to its place before a kill. */
async function sizeOf(directory: RunDirectory, file: string): Promise<number | undefined> {
  for (const path of [inWork(directory, file), join(directory.live, SNAPSHOT_FILES.directory, file)]) {
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) return stats.size;
  }
  return undefined;
}

function inWork({ work }: RunDirectory, file: string): string {
  return join(work, SNAPSHOT_FILES.inResults(file));
}

async function moveUnlessGone(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

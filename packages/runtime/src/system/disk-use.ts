import { type BigIntStats, lstatSync } from 'node:fs';
import type { DiskUse } from '@ssebench/contracts/caps';
import { Directory, type Entry, Pacer } from './directory.ts';

interface DiskUseOptions {
  /** Directories that are not entered, absolute: other file systems. */
  except?: ReadonlySet<string>;
  /** Only what was made or changed since is counted. Milliseconds since 1970. */
  since?: number;
  /** Whether a directory that did not change holds nothing that did: so it is where all lies on an overlay's upper layer. */
  skipUnchanged?: boolean;
  /** Counting ends when there are more. */
  maxFiles?: number;
  /** Ends the counting. */
  signal?: AbortSignal | undefined;
}

interface Level {
  directory: Directory;
  path: string;
  entries: Entry[];
}

/**
 * What the entries of a directory take of their disk: blocks, not lengths, and a file with several names once. No link is
 * followed and no path grows too long, whatever moves meanwhile; what we may not enter counts as one entry.
 * @throws the file system's error when the directory itself can't be read, or nests deeper than we may have descriptors; the signal's reason
 */
export async function diskUse(root: string, options: DiskUseOptions = {}): Promise<DiskUse> {
  const { except, since = 0, skipUnchanged = false, maxFiles = Number.POSITIVE_INFINITY, signal } = options;
  const used: DiskUse = { bytes: 0, files: 0 };
  const linked = new Set<bigint>();
  const pacer = new Pacer();
  const open: Level[] = [enter(Directory.open(root), root)];
  try {
    for (let level = open.at(-1); level; level = open.at(-1)) {
      const entry = level.entries.pop();
      if (pacer.due) await pacer.giveWay();
      signal?.throwIfAborted();
      if (entry === undefined) {
        open.pop();
        level.directory[Symbol.dispose]();
        continue;
      }
      const stat = statOf(level.directory, entry);
      if (!stat) continue;
      const isChanged = Number(stat.ctimeMs) >= since;
      if (isChanged) count(used, stat, linked);
      if (used.files > maxFiles) return used;
      if (!entry.isDirectory() || (skipUnchanged && !isChanged)) continue;
      const path = `${level.path === '/' ? '' : level.path}/${entry.name.toString('latin1')}`;
      if (except?.has(path)) continue;
      const below = openBelow(level.directory, entry);
      if (below) open.push(enter(below, path));
    }
    return used;
  } finally {
    for (const { directory } of open) directory[Symbol.dispose]();
  }
}

function enter(directory: Directory, path: string): Level {
  return { directory, path, entries: directory.entries() };
}

function count(used: DiskUse, stat: BigIntStats, linked: Set<bigint>): void {
  used.files += 1;
  if (stat.nlink > 1n && !stat.isDirectory()) {
    if (linked.has(stat.ino)) return;
    linked.add(stat.ino);
  }
  used.bytes += Number(stat.blocks) * 512;
}

/** Undefined for one that went away. */
function statOf(directory: Directory, { name }: Entry): BigIntStats | undefined {
  return unlessGone(() => lstatSync(directory.at(name), { bigint: true }));
}

function openBelow(directory: Directory, { name }: Entry): Directory | undefined {
  return unlessGone(() => directory.openDirectory(name));
}

function unlessGone<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ESTALE'].includes(code)) return undefined;
    throw error;
  }
}

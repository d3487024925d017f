import { Directory, type Entry, Pacer } from './directory.ts';
import { removeEntry } from './remove-tree.ts';

/** Deeper directories can't be named by any path: each level takes two bytes of the 4096 that a path may have. */
const MAX_DEPTH = 2048;

/**
 * Removes what lies deeper than any path can lead, beneath these directories, for at most `limitMs`. Engines, and people, remove
 * trees by ways that need an open file for each level, and would fail on such a one for ever.
 * Links are not followed; a directory that is not there, or can't be read, is passed over. Returns how many were cut.
 */
export async function cutDeepTrees(roots: readonly string[], limitMs: number): Promise<number> {
  const deadline = performance.now() + limitMs;
  const pacer = new Pacer();
  let cut = 0;
  for (const root of roots) {
    const top = attempt(() => Directory.open(root));
    if (top === undefined) continue;
    const open: { directory: Directory; entries: Entry[] }[] = [{ directory: top, entries: directoriesOf(top) }];
    try {
      for (let level = open.at(-1); level; level = open.at(-1)) {
        if (pacer.due) await pacer.giveWay();
        if (performance.now() > deadline) return cut;
        const entry = level.entries.pop();
        if (entry === undefined) {
          open.pop();
          level.directory[Symbol.dispose]();
        } else if (open.length > MAX_DEPTH) {
          await removeEntry(level.directory, entry.name);
          cut += 1;
        } else {
          const { directory } = level;
          const inner = attempt(() => directory.openDirectory(entry.name));
          if (inner) open.push({ directory: inner, entries: directoriesOf(inner) });
        }
      }
    } finally {
      for (const { directory } of open) directory[Symbol.dispose]();
    }
  }
  return cut;
}

function directoriesOf(directory: Directory): Entry[] {
  return directory.entries().filter((entry) => entry.isDirectory());
}

function attempt<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}

import { lstatSync, type Stats } from 'node:fs';
import { Pacer } from '../system/directory.ts';
import { type BytePath, isForbidden, toSystemPath } from './paths.ts';

const ASCII = /^[\x20-\x7e]*$/;

export type Reader = { uid: number; gid: number };

/** What stands at a path of the tree, seen without opening it. `gone`: nothing, a directory, or beyond a link. */
export type Standing = 'plain' | 'gone' | 'special_file' | 'unreadable' | 'too_large' | 'forbidden_name';

/** Looks at paths of one tree as `reader` could, before git opens any of them. Made anew for each capture. */
export class Survey {
  readonly #tree: string;
  readonly #reader: Reader;
  readonly #maxFileBytes: number;
  readonly #directories = new Map<BytePath, 'reachable' | 'gone' | 'unreadable'>([['', 'reachable']]);
  readonly #pacer = new Pacer();

  constructor(tree: string, reader: Reader, maxFileBytes: number) {
    this.#tree = tree;
    this.#reader = reader;
    this.#maxFileBytes = maxFileBytes;
  }

  /** The paths by what stands there. */
  async sort(paths: readonly BytePath[]): Promise<Map<Standing, BytePath[]>> {
    const sorted = new Map<Standing, BytePath[]>();
    for (const path of paths) {
      const standing = this.#standing(path);
      const group = sorted.get(standing);
      if (group) group.push(path);
      else sorted.set(standing, [path]);
      if (this.#pacer.due) await this.#pacer.giveWay();
    }
    return sorted;
  }

  #standing(path: BytePath): Standing {
    if (isForbidden(path)) return 'forbidden_name';
    const above = this.#directory(parentOf(path));
    if (above !== 'reachable') return above;
    const stats = this.#look(path);
    if (typeof stats === 'string') return stats;
    if (stats.isDirectory()) return 'gone';
    if (stats.isSymbolicLink()) return /(^|\/)\.gitmodules$/i.test(path) ? 'forbidden_name' : 'plain';
    if (!stats.isFile()) return 'special_file';
    if (stats.size > this.#maxFileBytes) return 'too_large';
    return allows(stats, this.#reader, 4) ? 'plain' : 'unreadable';
  }

  #directory(path: BytePath): 'reachable' | 'gone' | 'unreadable' {
    const known = this.#directories.get(path);
    if (known) return known;
    const above = this.#directory(parentOf(path));
    const found = above === 'reachable' ? this.#lookAtDirectory(path) : above;
    this.#directories.set(path, found);
    return found;
  }

  #lookAtDirectory(path: BytePath): 'reachable' | 'gone' | 'unreadable' {
    const stats = this.#look(path);
    if (typeof stats === 'string') return stats;
    if (!stats.isDirectory()) return 'gone';
    return allows(stats, this.#reader, 1) ? 'reachable' : 'unreadable';
  }

  #look(path: BytePath): Stats | 'gone' | 'unreadable' {
    try {
      // Nearly all paths are ASCII, of which a string is the sooner made.
      const at = ASCII.test(path) ? `${this.#tree}/${path}` : toSystemPath(this.#tree, path);
      return lstatSync(at, { throwIfNoEntry: false }) ?? 'gone';
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EACCES' || code === 'ENAMETOOLONG') return 'unreadable';
      if (code === 'ENOTDIR' || code === 'ELOOP') return 'gone';
      throw error;
    }
  }
}

/** Whether the mode lets the account read (4) or enter (1), as the kernel decides for a user without capabilities. */
export function allows(stats: Stats, account: Reader, right: 4 | 1): boolean {
  if (account.uid === 0) return true;
  if (stats.uid === account.uid) return Boolean(stats.mode & (right << 6));
  return Boolean(stats.mode & (stats.gid === account.gid ? right << 3 : right));
}

function parentOf(path: BytePath): BytePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

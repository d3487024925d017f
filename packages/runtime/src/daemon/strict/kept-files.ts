import {
  chmodSync,
  constants,
  copyFileSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import type { BytePath } from '../../capture/paths.ts';
import { Directory, Pacer } from '../../system/directory.ts';
import { removeEntry } from '../../system/remove-tree.ts';

interface Owner {
  uid: number;
  gid: number;
}

/** What stood at a path: nothing that git knows, a file with its copy, or a link. */
type Kept =
  | { kind: 'nothing' }
  | { kind: 'file'; copy: string; owner: Owner; mode: number; atimeMs: number; mtimeMs: number }
  | { kind: 'link'; target: Buffer; owner: Owner };

const NOTHING: Kept = { kind: 'nothing' };
const DIRECTORY_MODE = 0o755;

/**
 * Files of a tree as they were at one moment, to be put back there or in a copy of it. Every path is reached without
 * following a link, so that whatever a patch makes of the tree nothing outside of it is read or changed.
 */
export class KeptFiles {
  readonly #kept: ReadonlyMap<BytePath, Kept>;
  /** Directories above kept paths that were not there. */
  readonly #missing: ReadonlySet<BytePath>;

  private constructor(kept: ReadonlyMap<BytePath, Kept>, missing: ReadonlySet<BytePath>) {
    this.#kept = kept;
    this.#missing = missing;
  }

  /**
   * Keeps what stands at `paths` now, with copies in the directory `store`, which is the caller's alone.
   * @throws the file system's error
   */
  static async keep(tree: string, paths: Iterable<BytePath>, store: string): Promise<KeptFiles> {
    const kept = new Map<BytePath, Kept>();
    const missing = new Set<BytePath>();
    const pacer = new Pacer();
    for (const path of paths) {
      kept.set(path, keepOne(tree, path, join(store, String(kept.size)), missing));
      if (pacer.due) await pacer.giveWay();
    }
    return new KeptFiles(kept, missing);
  }

  /** The paths that are kept, in their order. */
  get paths(): BytePath[] {
    return [...this.#kept.keys()];
  }

  /**
   * Makes these paths (without `paths`: all) in `tree` what they were: what was not there goes, with the directories that
   * were not there and are empty now; everything else comes back, whatever stands in its way. `owner`: whose it is to be
   * in place of the owner that it had.
   * @throws the file system's error
   */
  async putBack(tree: string, { paths, owner }: { paths?: readonly BytePath[]; owner?: Owner } = {}): Promise<void> {
    const chosen = (paths ?? this.paths).flatMap((path) => {
      const kept = this.#kept.get(path);
      return kept ? [{ path, kept }] : [];
    });
    const pacer = new Pacer();
    const emptied = new Set<BytePath>();
    for (const { path, kept } of chosen) {
      if (kept.kind === 'nothing' && takeAway(tree, path)) this.#addMissingAbove(path, emptied);
      if (pacer.due) await pacer.giveWay();
    }
    // The deepest first: a path is longer than those above it.
    for (const path of [...emptied].sort((a, b) => b.length - a.length)) removeIfEmpty(tree, path);
    for (const { path, kept } of chosen) {
      if (kept.kind !== 'nothing') await restore(tree, path, kept, owner ?? kept.owner);
      if (pacer.due) await pacer.giveWay();
    }
  }

  #addMissingAbove(path: BytePath, found: Set<BytePath>): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const above = path.slice(0, end);
      if (!this.#missing.has(above) || found.has(above)) return;
      found.add(above);
    }
  }
}

/** Removes what stands at `path`. False when nothing does. A directory is there for what is in it, which has paths of its own. */
function takeAway(tree: string, path: BytePath): boolean {
  const { above, name } = partsOf(path);
  using parent = reach(tree, above);
  const stats = parent && lstatSync(parent.at(name), { throwIfNoEntry: false });
  if (!stats || stats.isDirectory()) return false;
  unlinkSync(parent.at(name));
  return true;
}

function keepOne(tree: string, path: BytePath, copy: string, missing: Set<BytePath>): Kept {
  const { above, name } = partsOf(path);
  using parent = reach(tree, above, (depth) => {
    for (let length = depth + 1; length <= above.length; length += 1) missing.add(pathOf(above.slice(0, length)));
  });
  const stats = parent && lstatSync(parent.at(name), { throwIfNoEntry: false });
  if (!stats) return NOTHING;
  const owner: Owner = { uid: stats.uid, gid: stats.gid };
  if (stats.isSymbolicLink()) {
    return { kind: 'link', target: readlinkSync(parent.at(name), { encoding: 'buffer' }), owner };
  }
  if (!stats.isFile()) return NOTHING;
  copyFileSync(parent.at(name), copy, constants.COPYFILE_EXCL);
  return {
    kind: 'file',
    copy,
    owner,
    mode: (stats.mode & 0o777) | 0o600,
    atimeMs: stats.atimeMs,
    mtimeMs: stats.mtimeMs,
  };
}

async function restore(
  tree: string,
  path: BytePath,
  kept: Exclude<Kept, { kind: 'nothing' }>,
  owner: Owner,
): Promise<void> {
  const { above, name } = partsOf(path);
  using parent = makeWay(tree, above, owner);
  await removeEntry(parent, name);
  if (kept.kind === 'link') symlinkSync(kept.target, parent.at(name));
  else copyFileSync(kept.copy, parent.at(name), constants.COPYFILE_EXCL);
  lchownSync(parent.at(name), owner.uid, owner.gid);
  if (kept.kind === 'file') {
    chmodSync(parent.at(name), kept.mode);
    // `make` goes by the times.
    utimesSync(parent.at(name), kept.atimeMs / 1000, kept.mtimeMs / 1000);
  }
}

function partsOf(path: BytePath): { above: Buffer[]; name: Buffer } {
  const parts = path.split('/').map((part) => Buffer.from(part, 'latin1'));
  const name = parts.pop() ?? Buffer.alloc(0);
  return { above: parts, name };
}

function pathOf(parts: readonly Buffer[]): BytePath {
  return parts.map((part) => part.toString('latin1')).join('/');
}

/** The directory at the end of `parts`; undefined when one of them is none, and then `onMissing` gets its index. */
function reach(tree: string, parts: readonly Buffer[], onMissing?: (depth: number) => void): Directory | undefined {
  let at = Directory.reach(tree);
  for (const [depth, part] of parts.entries()) {
    using from = at;
    if (!lstatSync(from.at(part), { throwIfNoEntry: false })?.isDirectory()) {
      onMissing?.(depth);
      return undefined;
    }
    at = from.openDirectory(part);
  }
  return at;
}

/** The same, where whatever is no directory becomes one. */
function makeWay(tree: string, parts: readonly Buffer[], owner: Owner): Directory {
  let at = Directory.reach(tree);
  for (const part of parts) {
    using from = at;
    const path = from.at(part);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats && !stats.isDirectory()) unlinkSync(path);
    if (!stats?.isDirectory()) {
      mkdirSync(path);
      chmodSync(path, DIRECTORY_MODE);
      lchownSync(path, owner.uid, owner.gid);
    }
    at = from.openDirectory(part);
  }
  return at;
}

function removeIfEmpty(tree: string, path: BytePath): void {
  const { above, name } = partsOf(path);
  using parent = reach(tree, above);
  try {
    if (parent) rmdirSync(parent.at(name));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(code)) throw error;
  }
}

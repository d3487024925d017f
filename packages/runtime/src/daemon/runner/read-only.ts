import { createHash, type Hash } from 'node:crypto';
import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Who may read, and write what is written anew at every use. */
export interface Reader {
  uid: number;
  gid: number;
}

/** Programs mark directories like this whose content can be made again at any time: Cargo its `target`. */
const CACHE_MARK = 'CACHEDIR.TAG';

/**
 * Gives everything at `path` to root and lets the reader's group read it, and execute what its owner could, and nothing
 * more. Caches are the reader's own, and so is the `target` of every Cargo package: a harness is built where it lies.
 * For trees that only root has been able to change: links are left as they are, and not followed.
 */
export function shareReadOnly(path: string, reader: Reader): void {
  const stats = lstatSync(path);
  if (stats.isDirectory() && existsSync(join(path, CACHE_MARK))) {
    give(path, reader);
    return;
  }
  lchownSync(path, process.getuid?.() ?? 0, reader.gid);
  if (stats.isDirectory()) {
    shareContent(path, reader);
    chmodSync(path, 0o750);
  } else if (!stats.isSymbolicLink()) {
    chmodSync(path, stats.mode & 0o100 ? 0o550 : 0o440);
  }
}

function shareContent(path: string, reader: Reader): void {
  const target = existsSync(join(path, 'Cargo.toml')) ? join(path, 'target') : undefined;
  // A file, or a link that leads nowhere yet, is the author's choice of another place.
  if (target !== undefined && !lstatSync(target, { throwIfNoEntry: false })) mkdirSync(target);
  for (const name of readdirSync(path)) {
    const inner = join(path, name);
    if (inner === target && lstatSync(inner).isDirectory()) give(inner, reader);
    else shareReadOnly(inner, reader);
  }
}

function give(path: string, { uid, gid }: Reader): void {
  const stats = lstatSync(path);
  if (stats.isDirectory()) for (const name of readdirSync(path)) give(join(path, name), { uid, gid });
  lchownSync(path, uid, gid);
  if (!stats.isSymbolicLink()) chmodSync(path, (stats.mode & 0o770) | (stats.isDirectory() ? 0o700 : 0o600));
}

/** How a tree looked. */
export interface Fingerprint {
  text: string;
  entries: number;
}

/**
 * What changes when anything beneath `path` does: names, kinds, owners, modes, sizes, links and times of change, which nobody
 * but root can set back. The text is empty when there is nothing at `path`.
 */
export function fingerprint(path: string): Fingerprint {
  return look(path, Number.POSITIVE_INFINITY);
}

/** Whether it still looks like that. However much somebody put there, no more is looked at than there was. */
export function isUnchanged(path: string, before: Fingerprint): boolean {
  try {
    return look(path, before.entries).text === before.text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return false;
    throw error;
  }
}

function look(path: string, most: number): Fingerprint {
  const sum = { hash: createHash('sha256'), entries: 0, most };
  addTo(sum, path);
  return { text: sum.entries > 0 ? sum.hash.digest('hex') : '', entries: sum.entries };
}

function addTo(sum: { hash: Hash; entries: number; most: number }, path: string): void {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats || sum.entries > sum.most) return;
  sum.entries += 1;
  const { mode, uid, gid, size, ino, mtimeNs, ctimeNs } = stats;
  sum.hash.update(`${path}\0${mode} ${uid} ${gid} ${ino} ${size} ${mtimeNs} ${ctimeNs}\n`);
  if (stats.isSymbolicLink()) sum.hash.update(`${readlinkSync(path)}\0`);
  if (stats.isDirectory()) for (const name of readdirSync(path).sort()) addTo(sum, join(path, name));
}

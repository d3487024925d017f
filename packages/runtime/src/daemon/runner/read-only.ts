import { createHash, type Hash } from 'node:crypto';
import { chmodSync, lchownSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives everything at `path` to root and lets the group `gid` read it, and execute what its owner could, and nothing
 * more. For trees that only root has been able to change: links are left as they are, and not followed.
 */
export function shareReadOnly(path: string, gid: number): void {
  const stats = lstatSync(path);
  lchownSync(path, process.getuid?.() ?? 0, gid);
  if (stats.isSymbolicLink()) return;
  if (stats.isDirectory()) {
    for (const name of readdirSync(path)) shareReadOnly(join(path, name), gid);
    chmodSync(path, 0o750);
  } else {
    chmodSync(path, stats.mode & 0o100 ? 0o550 : 0o440);
  }
}

/**
 * A text that changes when anything beneath `path` does: names, kinds, owners, modes, sizes, links and times of change,
 * which nobody but root can set back. Empty when there is nothing at `path`.
 */
export function fingerprint(path: string): string {
  const hash = createHash('sha256');
  return addTo(hash, path) ? hash.digest('hex') : '';
}

function addTo(hash: Hash, path: string): boolean {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!stats) return false;
  const { mode, uid, gid, size, ino, mtimeNs, ctimeNs } = stats;
  hash.update(`${path}\0${mode} ${uid} ${gid} ${ino} ${size} ${mtimeNs} ${ctimeNs}\n`);
  if (stats.isSymbolicLink()) hash.update(`${readlinkSync(path)}\0`);
  if (stats.isDirectory()) for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
  return true;
}

import { chmodSync, copyFileSync, lchownSync, lstatSync, renameSync, type Stats, utimesSync } from 'node:fs';
import { Directory } from '../system/directory.ts';
import { removeEntry } from '../system/remove-tree.ts';

export interface OwnTreeOptions {
  uid: number;
  gid: number;
  /** `agent`: its owner can read and write everything. `graded`: everybody can read, only the owner write. */
  access: 'agent' | 'graded';
}

/**
 * Gives a whole tree to one owner, links themselves included, with modes to match. Execute bits of the owner, which git
 * records, stay as they are. A file with more than one name becomes a file of its own first: its other name may lie elsewhere.
 */
export function ownTree(path: string, options: OwnTreeOptions): void {
  const enter = (directory: Directory): void => {
    for (const name of directory.names()) {
      const at = directory.at(name);
      const stats = lstatSync(at);
      if (stats.isDirectory()) {
        using inner = directory.openDirectory(name);
        enter(inner);
      } else if (stats.isFile() && stats.nlink > 1) {
        separate(directory, name, stats);
      }
      putRight(at, lstatSync(at), options);
    }
  };
  using top = Directory.open(path);
  enter(top);
  putRight(path, lstatSync(path), options);
}

function putRight(at: Buffer | string, stats: Stats, { uid, gid, access }: OwnTreeOptions): void {
  if (stats.uid !== uid || stats.gid !== gid) lchownSync(at, uid, gid);
  if (stats.isSymbolicLink()) return;
  const mode = stats.mode & 0o7777;
  const enter = stats.isDirectory() || Boolean(mode & 0o100);
  const right =
    access === 'agent'
      ? (mode & 0o775) | (stats.isDirectory() ? 0o700 : 0o600)
      : (mode & 0o755) | (enter ? 0o555 : 0o444);
  if (right !== mode) chmodSync(at, right);
}

function separate(directory: Directory, name: Buffer, stats: Stats): void {
  const copy = Buffer.from(`.ssebench-${process.pid}-copy`);
  copyFileSync(directory.at(name), directory.at(copy));
  chmodSync(directory.at(copy), stats.mode & 0o7777);
  utimesSync(directory.at(copy), stats.atime, stats.mtime);
  renameSync(directory.at(copy), directory.at(name));
}

/** Removes every `.git`, directory or file, at any depth: submodules' too. Returns how many there were. */
export async function removeGit(path: string): Promise<number> {
  let removed = 0;
  const enter = async (directory: Directory): Promise<void> => {
    for (const name of directory.names()) {
      const at = directory.at(name);
      if (name.toString('latin1') === '.git') {
        await removeEntry(directory, name);
        removed += 1;
      } else if (lstatSync(at).isDirectory()) {
        using inner = directory.openDirectory(name);
        await enter(inner);
      }
    }
  };
  using top = Directory.open(path);
  await enter(top);
  return removed;
}

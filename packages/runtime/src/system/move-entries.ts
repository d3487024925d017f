import {
  chmodSync,
  copyFileSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { type Directory, Pacer } from './directory.ts';

/**
 * Moves everything in the directory `from` to the directory `to`, which has nothing of these names; both stay. For trees
 * that nobody changes meanwhile: owners, modes and times of change are kept. A layered file system does not rename the directories
 * that an image brought along, so their entries are moved one by one; where not even files can be
 * renamed they are copied, and what is no file, directory or link is left out.
 * @throws the file system's error; what was not moved by then is where it was
 */
export async function moveEntries(from: Directory, to: Directory, pacer = new Pacer()): Promise<void> {
  for (const name of from.names()) {
    if (pacer.due) await pacer.giveWay();
    if (renamed(from, to, name)) continue;
    const stats = lstatSync(from.at(name));
    if (stats.isDirectory()) {
      mkdirSync(to.at(name), { mode: 0o700 });
      using source = from.openDirectory(name);
      using target = to.openDirectory(name);
      await moveEntries(source, target, pacer);
      rmdirSync(from.at(name));
    } else {
      if (stats.isFile()) copyFileSync(from.at(name), to.at(name));
      else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from.at(name), { encoding: 'buffer' }), to.at(name));
      unlinkSync(from.at(name));
    }
    if (lstatSync(to.at(name), { throwIfNoEntry: false })) keep(to, name, stats);
  }
}

function renamed(from: Directory, to: Directory, name: Buffer): boolean {
  try {
    renameSync(from.at(name), to.at(name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') return false;
    throw error;
  }
}

function keep(directory: Directory, name: Buffer, stats: Stats): void {
  lchownSync(directory.at(name), stats.uid, stats.gid);
  if (stats.isSymbolicLink()) return;
  chmodSync(directory.at(name), stats.mode & 0o7777);
  utimesSync(directory.at(name), stats.atime, stats.mtime);
}

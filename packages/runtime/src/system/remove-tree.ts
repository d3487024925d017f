import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, constants, lstatSync, openSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Directory, type Entry, Pacer } from './directory.ts';

const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Most levels that are open at a time: deeper ones are moved up first. */
const MAX_OPEN = 256;
/** Linux: a descriptor that names a file without opening it. */
const O_PATH = 0o10000000;

/**
 * Removes whatever is at `path`, if anything. Links are removed, never followed; directories that refuse are made
 * accessible first. Any depth and any names.
 * @throws the file system's error when something can't be removed; RangeError for the root
 */
export async function removeTree(path: string): Promise<void> {
  if (path === '/' || basename(path) === '') throw new RangeError(`will not remove ${path}`);
  let parent: Directory;
  try {
    parent = Directory.reach(dirname(path));
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  using _ = parent;
  await removeEntry(parent, Buffer.from(basename(path)));
}

/** Removes everything in the directory `path`, and leaves it. */
export async function emptyDirectory(path: string, except: ReadonlySet<string> = new Set()): Promise<void> {
  using directory = Directory.open(path);
  for (const name of directory.names()) {
    if (!except.has(name.toString('latin1'))) await removeEntry(directory, name);
  }
}

/** The same for an entry of a directory at hand. */
// Without recursion: the depth of a hostile tree must not be ours, and neither must be its number of open directories.
export async function removeEntry(parent: Directory, name: Buffer): Promise<void> {
  const pacer = new Pacer();
  if (!isDirectory(parent, name)) return unlinkIfThere(parent, name);
  const open: { directory: Directory; name: Buffer; entries: Pick<Entry, 'name' | 'isDirectory'>[] }[] = [];
  const enter = (from: Directory, entry: Buffer) => {
    const directory = openEvenIfClosed(from, entry);
    open.push({ directory, name: entry, entries: directory.entries() });
  };
  try {
    enter(parent, name);
    for (let level = open.at(-1); level; level = open.at(-1)) {
      const entry = level.entries.pop();
      if (entry === undefined) {
        open.pop();
        level.directory[Symbol.dispose]();
        rmdirSync((open.at(-1)?.directory ?? parent).at(level.name));
      } else if (entry.isDirectory()) {
        const name = open.length < MAX_OPEN ? undefined : moveUp(level.directory, entry.name, open[0]?.directory);
        if (name) open[0]?.entries.push({ name, isDirectory: () => true });
        else enter(level.directory, entry.name);
      } else {
        unlinkIfThere(level.directory, entry.name);
      }
      if (pacer.due) await pacer.giveWay();
    }
  } finally {
    for (const { directory } of open) directory[Symbol.dispose]();
  }
}

/**
 * Moves a directory to the top of the tree that is being removed, under a new name, which it returns. Undefined where the file
 * system does not move it, as a layered one does with what an image brought along; no image is deep without bounds.
 */
function moveUp(from: Directory, entry: Buffer, top: Directory | undefined): Buffer | undefined {
  if (!top) return undefined;
  const name = Buffer.from(`.${randomBytes(8).toString('hex')}`);
  try {
    renameSync(from.at(entry), top.at(name));
    return name;
  } catch (error) {
    if (['EXDEV', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Opens a directory that can be written to afterwards, giving its owner the rights when they are missing. */
function openEvenIfClosed(parent: Directory, name: Buffer): Directory {
  const path = parent.at(name);
  if ((lstatSync(path).mode & 0o700) !== 0o700 && process.getuid?.() !== 0) {
    const handle = openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    try {
      chmodSync(`/proc/self/fd/${handle}`, 0o700);
    } finally {
      closeSync(handle);
    }
  }
  return parent.openDirectory(name);
}

function isDirectory(parent: Directory, name: Buffer): boolean {
  return lstatSync(parent.at(name), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function unlinkIfThere(parent: Directory, name: Buffer): void {
  try {
    unlinkSync(parent.at(name));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

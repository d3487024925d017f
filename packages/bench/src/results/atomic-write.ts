import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file so that a reader, at any moment and after any crash, finds the old content or the whole new one:
 * a temporary file in the same directory, flushed, renamed, and the directory flushed.
 * A link at `path` is replaced, not followed. @throws as `node:fs` does; then the old file stands
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const directory = dirname(path);
  const temporary = temporaryName(path);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushDirectory(directory);
}

/** A name beside `path` for what is not whole yet; `removeTemporaryFiles` knows it again. */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`);
}

/** Removes what killed writers left in a directory in which nobody writes any more. */
export async function removeTemporaryFiles(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (/^\..+\.[0-9a-f]{8}\.tmp$/.test(name)) await rm(join(directory, name), { force: true });
  }
}

/** Makes a rename or a new name in `path` outlast a loss of power. */
export async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

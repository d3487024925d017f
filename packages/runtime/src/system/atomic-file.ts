import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Writes `path` so that a reader, or a machine that lost its power, sees the old content or the whole new one:
 * a temporary file beside it, flushed, renamed over it, and the directory flushed. `mode` holds whatever the umask is.
 * @throws the file system's error; the temporary file is removed then, and the old content stands.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  mode = 0o644,
): Promise<void> {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch((left: NodeJS.ErrnoException) => {
      if (left.code !== 'ENOENT') throw new AggregateError([error, left], `${temporary} was left behind`);
    });
    throw error;
  }
  await flushDirectory(directory);
}

/** Makes a rename or a new name in `directory` outlast a loss of power. */
export async function flushDirectory(directory: string): Promise<void> {
  const parent = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

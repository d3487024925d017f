import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { flushDirectory, temporaryName, writeFileAtomic } from '../../results/atomic-write.ts';
import type { NewFiles } from './new-task.ts';

/**
 * Makes a task folder with these files, as a whole or not at all; and the dataset around it when there is none.
 * @returns the folder, absolute
 * @throws UserError when there is such a folder already, and when it can't be written
 */
export async function writeTask(datasetDir: string, id: string, files: NewFiles): Promise<string> {
  const dir = join(datasetDir, id);
  if (existsSync(dir)) throw new UserError(`${showPath(dir)}: is there already`);
  const failed = (cause: unknown) => {
    return new UserError(`${showPath(dir)}: can't be written: ${(cause as Error).message}`, 1, { cause });
  };
  await mkdir(datasetDir, { recursive: true }).catch((cause: unknown) => {
    throw failed(cause);
  });
  const temporary = temporaryName(dir);
  try {
    for (const [path, text] of Object.entries(files)) {
      const target = join(temporary, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      if (text.startsWith('#!')) await chmod(target, 0o755);
    }
    const info = join(datasetDir, 'dataset.yaml');
    if (!existsSync(info)) await writeFileAtomic(info, `version: ${versionOf(datasetDir)}\n`);
    await rename(temporary, dir);
    await flushDirectory(datasetDir);
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    throw failed(cause);
  }
  return dir;
}

/** The first version of a dataset of this name. */
function versionOf(datasetDir: string): string {
  const name = basename(datasetDir)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${name || 'dataset'}-v1`;
}

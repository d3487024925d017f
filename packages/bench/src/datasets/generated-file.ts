import { existsSync, readFileSync } from 'node:fs';
import { UserError } from '../cli/errors.ts';
import { showPath } from '../config/show-path.ts';
import { writeFileAtomic } from '../results/atomic-write.ts';
import { lineDiff } from './line-diff.ts';

/** A file that is made from others. */
export interface GeneratedFile {
  /** Absolute. */
  path: string;
  text: string;
}

/** Writes it, unless it has the text already: whole or not at all. @throws UserError when it can't be written */
export async function writeGenerated({ path, text }: GeneratedFile): Promise<void> {
  if (readIfThere(path) === text) return;
  try {
    await writeFileAtomic(path, text);
  } catch (cause) {
    throw new UserError(`${showPath(path)}: can't be written: ${(cause as Error).message}`, 1, { cause });
  }
}

/** What a person is told when the file is not what it must be: up to `most` lines of difference, and what to do. Empty when it is. */
export function staleness({ path, text }: GeneratedFile, most: number, command: string): string[] {
  const found = readIfThere(path);
  if (found === text) return [];
  if (found === undefined) return [`${showPath(path)}: missing; run: ${command}`];
  return [`${showPath(path)}: out of date; run: ${command}`, ...lineDiff(found, text, most)];
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

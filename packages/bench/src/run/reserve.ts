import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunDirectory } from './run-directory.ts';

/** Room for a result, a summary and the list of checks, when nothing else is left of it: bytes, and index entries. */
const FILE_BYTES = 96 * 1024;
const FILES = 3;
/** In the directory of a run that goes on. */
export const RESERVE = '.reserve';

/** Sets room aside for a run's last words: also on a full disk a run ends with a summary. Not compressible. */
export async function makeReserve({ live }: RunDirectory): Promise<void> {
  const directory = join(live, RESERVE);
  await mkdir(directory);
  for (let at = 0; at < FILES; at += 1) await writeFile(join(directory, String(at)), randomBytes(FILE_BYTES));
}

export async function useReserve({ live }: RunDirectory): Promise<void> {
  await rm(join(live, RESERVE), { recursive: true, force: true });
}

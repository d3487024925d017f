import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunDirectory } from './run-directory.ts';

/** Room for a result, a summary and the list of checks, when nothing else is left of it: bytes, and index entries. */
const RESERVE_BYTES = 256 * 1024;
const RESERVE_FILES = 8;
/** In the directory of a run that goes on. */
export const RESERVE = '.reserve';

/** Sets room aside for a run's last words: also on a full disk a run ends with a summary. Not compressible. */
export async function makeReserve({ live }: RunDirectory): Promise<void> {
  const directory = join(live, RESERVE);
  await mkdir(directory);
  const bytes = randomBytes(RESERVE_BYTES);
  const share = RESERVE_BYTES / RESERVE_FILES;
  for (let at = 0; at < RESERVE_FILES; at += 1)
    await writeFile(join(directory, String(at)), bytes.subarray(at * share, (at + 1) * share));
}

export async function useReserve({ live }: RunDirectory): Promise<void> {
  await rm(join(live, RESERVE), { recursive: true, force: true });
}

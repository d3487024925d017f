import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunDirectory } from './run-directory.ts';

/** Room for a result, a summary and the list of checks, when nothing else is left of it. Bytes. */
const RESERVE_BYTES = 256 * 1024;
/** In the directory of a run that goes on. */
export const RESERVE_FILE = '.reserve';

/** Sets room aside for a run's last words: also on a full disk a run ends with a summary. Not compressible. */
export async function makeReserve({ live }: RunDirectory): Promise<void> {
  await writeFile(join(live, RESERVE_FILE), randomBytes(RESERVE_BYTES));
}

export async function useReserve({ live }: RunDirectory): Promise<void> {
  await rm(join(live, RESERVE_FILE), { force: true });
}

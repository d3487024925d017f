import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryUse } from './directory-use.ts';
import { RESERVE } from './reserve.ts';
import type { RunDirectory } from './run-directory.ts';

const MIB = 1024 * 1024;
/** With less room than this, what could not be written may have been too much for it. Bytes; index entries. */
const SHORT_OF_BYTES = 64 * MIB;
const SHORT_OF_FILES = 64;
/** A disk has enough room with this much, or with this share of its size where that is less. */
const ENOUGH_BYTES = 2048 * MIB;
const ENOUGH_SHARE = 0.05;
/** Files of a run that are counted; who has more explains any shortage. */
const MAX_COUNTED = 200_000;

export interface DiskShortage {
  /** Whether there would be room but for this run's own files. */
  own: boolean;
}

/** Whether the disk that holds the results is full, seen from outside of any container; undefined when it is not. */
export async function diskShortage({ live }: RunDirectory): Promise<DiskShortage | undefined> {
  const disk = await statfs(live);
  const free = (process.getuid?.() === 0 ? disk.bfree : disk.bavail) * disk.bsize;
  const isShortOfFiles = disk.files > 0 && disk.ffree < SHORT_OF_FILES;
  if (free >= SHORT_OF_BYTES && !isShortOfFiles) return undefined;
  const used = await directoryUse(live, { maxFiles: MAX_COUNTED, except: join(live, RESERVE) });
  if (used.files > MAX_COUNTED) return { own: true };
  const enough = Math.min(ENOUGH_BYTES, disk.blocks * disk.bsize * ENOUGH_SHARE);
  return { own: isShortOfFiles ? used.files > disk.files * ENOUGH_SHARE : free + used.bytes >= enough };
}

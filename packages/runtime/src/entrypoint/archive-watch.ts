import { setTimeout as delay } from 'node:timers/promises';
import { archiveExcess, CAPS, type DiskUse } from '@ssebench/contracts/caps';
import { diskUse } from '../system/disk-use.ts';

/** Between two looks: at least this, and so long that looking takes a small part of the time. Milliseconds. */
const INTERVAL = 2_000;
const SHARE = 20;

/** What the archive holds by now, counted until it is over its limit. @throws the file system's error */
export function archiveUse(archive: string): Promise<DiskUse> {
  return diskUse(archive, { maxFiles: CAPS.archive_files });
}

/** Looks now and then until `signal` aborts. Resolves with the limit that the archive is over, or undefined at the end. */
export async function watchArchive(archive: string, signal: AbortSignal): Promise<string | undefined> {
  let wait = INTERVAL;
  for (;;) {
    await delay(wait, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const start = performance.now();
    const excess = archiveExcess(await archiveUse(archive));
    if (excess !== undefined) return excess;
    wait = Math.max(INTERVAL, SHARE * (performance.now() - start));
  }
}

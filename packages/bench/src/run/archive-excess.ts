import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveExcess, CAPS } from '@ssebench/contracts/caps';
import type { Fault } from '@ssebench/contracts/faults';
import { directoryUse } from './directory-use.ts';

/** The agent's session, which readers of results look for. */
const KEPT = 'dialog.jsonl';
/** Largest session that is kept of an archive that is not. Bytes. */
const MAX_KEPT = 64 * 1024 * 1024;

/**
 * Removes an archive that is over its limits, or for which the host has no room, the agent's session apart: nobody looks
 * into millions of files, and they would be in the way of the next run. What can't be removed stays.
 */
export async function dropExcess(archive: string, cause: Fault): Promise<void> {
  if (cause.code !== 'host_disk_low') {
    if (archiveExcess(await directoryUse(archive, { maxFiles: CAPS.archive_files })) === undefined) return;
  }
  for (const name of await readdir(archive).catch(() => [])) {
    const path = join(archive, name);
    const stat = await lstat(path).catch(() => undefined);
    if (name === KEPT && stat?.isFile() && stat.blocks * 512 <= MAX_KEPT) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

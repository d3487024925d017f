import { stat, statfs } from 'node:fs/promises';
import type { DiskUse } from '@ssebench/contracts/caps';

/** A disk of this host that runs write to. Room that is kept for root does not count as free. */
export interface HostDisk {
  /** A directory on it. */
  path: string;
  size: DiskUse;
  free: DiskUse;
  /** What of a run lies on it. */
  holds: { layers: boolean; results: boolean };
}

export interface Places {
  results: string;
  /** Where the engine keeps its layers; undefined when that is on another machine. In a virtual one there is no such directory here. */
  engineRoot: string | undefined;
}

export function placesOf(results: string, engineAddress: string, { rootDirectory }: { rootDirectory: string }): Places {
  return { results, engineRoot: engineAddress.startsWith('unix://') ? rootDirectory : undefined };
}

/** The disks of the results and of the engine's layers, as they are now: one, when both are on the same. */
export async function lookAtDisks({ results, engineRoot }: Places): Promise<HostDisk[]> {
  const ofLayers = engineRoot === undefined ? undefined : await stat(engineRoot).catch(() => undefined);
  const ofResults = await stat(results);
  const isSame = ofResults.dev === ofLayers?.dev;
  const disks = [await lookAt(results, { results: true, layers: isSame })];
  if (engineRoot !== undefined && ofLayers && !isSame)
    disks.push(await lookAt(engineRoot, { results: false, layers: true }));
  return disks;
}

async function lookAt(path: string, holds: HostDisk['holds']): Promise<HostDisk> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(path);
  // Some file systems make entries as they need them, and tell of none.
  const entries = files > 0 ? { size: files, free: ffree } : { size: 0, free: Number.POSITIVE_INFINITY };
  return {
    path,
    size: { bytes: blocks * bsize, files: entries.size },
    free: { bytes: bavail * bsize, files: entries.free },
    holds,
  };
}

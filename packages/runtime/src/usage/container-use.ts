import { readFileSync } from 'node:fs';
import type { DiskUse } from '@ssebench/contracts/caps';
import { diskUse } from '../system/disk-use.ts';
import { type MountPoint, parseMounts } from './mounts.ts';

/** What of this container's world is mounted into it. */
export function ownMounts(): MountPoint[] {
  return parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'));
}

/**
 * What was written since (milliseconds since 1970) to this container's own file system and to these mounts of it. Nothing
 * that an unprivileged user does changes when a file was changed.
 * @throws the file system's error; `signal`'s reason
 */
export async function containerUse(since: number, mounts: readonly string[], signal?: AbortSignal): Promise<DiskUse> {
  const table = ownMounts();
  const except = new Set(table.map(({ path }) => path));
  const isOverlay = table.find(({ path }) => path === '/')?.fileSystem === 'overlay';
  const sum: DiskUse = { bytes: 0, files: 0 };
  for (const place of ['/', ...mounts]) {
    const skipUnchanged = place === '/' && isOverlay;
    const { bytes, files } = await diskUse(place, { except, since, skipUnchanged, signal });
    sum.bytes += bytes;
    sum.files += files;
  }
  return sum;
}

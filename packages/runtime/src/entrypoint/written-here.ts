import { statSync } from 'node:fs';
import type { DiskUse } from '@ssebench/contracts/caps';
import { CONTAINER } from '@ssebench/contracts/layout';
import { containerUse, ownMounts } from '../usage/container-use.ts';

/** A file's time of change may be a tick of the kernel's clock older than the moment when it was changed. Milliseconds. */
const TICK = 20;
/** File systems that take no disk. */
const IN_MEMORY = new Set(['proc', 'sysfs', 'tmpfs', 'devtmpfs', 'devpts', 'mqueue', 'cgroup', 'cgroup2', 'ramfs']);
/** Mounted by us, and not the agent's to write. */
const OURS = [CONTAINER.runtime, CONTAINER.hostMounts];

/**
 * What was written since this process started to the container's own file system and to the volumes that its image
 * declares; the agent's archive is not counted.
 * @throws the file system's error; `signal`'s reason
 */
export function writtenHere(archive: string | undefined, signal: AbortSignal): Promise<DiskUse> {
  const volumes = ownMounts().filter(
    ({ path, fileSystem }) =>
      path !== '/' &&
      path !== archive &&
      !IN_MEMORY.has(fileSystem) &&
      !OURS.some((ours) => path === ours || path.startsWith(`${ours}/`)) &&
      statSync(path, { throwIfNoEntry: false })?.isDirectory(),
  );
  const paths = volumes.map(({ path }) => path);
  return containerUse(performance.timeOrigin - TICK, paths, signal);
}

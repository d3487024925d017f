import { archiveExcess, type DiskUse, diskExcess } from '@ssebench/contracts/caps';
import { type Fault, fault, type Phase } from '@ssebench/contracts/faults';
import type { EffectiveLimits } from '@ssebench/contracts/limits';
import { bytes } from '@ssebench/contracts/units';
import type { HostDisk } from './host-disks.ts';

/** With less than this free, the host needs the rest for itself. */
const FLOOR: DiskUse = { bytes: 2 * 1024 ** 3, files: 100_000 };
/** Of a small disk, this share of its size. */
const FLOOR_SHARE: DiskUse = { bytes: 1 / 4, files: 1 / 16 };
/** Below this share of the floor there is no time left. */
const CRITICAL_SHARE = 1 / 4;

/** Between two looks at a run's own use: at least this, and so long that looking takes a small part of the time. Milliseconds. */
const LOOK_INTERVAL = 5_000;
const LOOK_SHARE = 10;
/** The same when something has happened on the disk. */
const EARLY_INTERVAL = 1_000;
const EARLY_SHARE = 3;

/** What one run takes at one moment. */
export interface RunUse {
  /** The container's own layer; undefined when it can't be measured. */
  layer: DiskUse | undefined;
  /**
   * The same as evidence from outside of the container, which may count more than there is: infinite when somebody in
   * the container keeps the engine from measuring.
   */
  evidentLayer: DiskUse;
  archive: DiskUse;
}

export const NO_USE: DiskUse = { bytes: 0, files: 0 };

/** Which limit of its own a run is over; undefined when it is over none that can be seen. */
export function brokenLimit(use: RunUse, limits: EffectiveLimits, phase: Phase): Fault | undefined {
  const excess = archiveExcess(use.archive);
  if (excess !== undefined) return fault('archive_limit', `the agent's archive: ${excess}`, { phase });
  const { disk_bytes } = limits;
  if (disk_bytes === null) return undefined;
  const detail = diskExcess(use.layer?.bytes ?? 0, use.archive.bytes, disk_bytes);
  return detail === undefined ? undefined : fault('disk_limit', detail, { phase });
}

/** Of which resource a disk has less than the floor. */
function shortOf({ free, size }: HostDisk): keyof DiskUse | undefined {
  if (free.bytes < floorOf('bytes', size)) return 'bytes';
  return free.files < floorOf('files', size) ? 'files' : undefined;
}

function floorOf(resource: keyof DiskUse, size: DiskUse): number {
  return Math.min(FLOOR[resource], size[resource] * FLOOR_SHARE[resource]);
}

export function isLow(disk: HostDisk): boolean {
  return shortOf(disk) !== undefined;
}

/** Whether a low disk leaves no time to see if it gets better. */
export function isCritical(disk: HostDisk): boolean {
  const resource = shortOf(disk);
  return resource !== undefined && disk.free[resource] < floorOf(resource, disk.size) * CRITICAL_SHARE;
}

/** What a run takes of one disk; `hidden` is what is known beside. */
export function usedOf({ holds }: HostDisk, { evidentLayer, archive }: RunUse, hidden: DiskUse = NO_USE): DiskUse {
  const sum = (resource: keyof DiskUse): number =>
    (holds.layers ? evidentLayer[resource] : 0) + (holds.results ? archive[resource] : 0) + hidden[resource];
  return { bytes: sum('bytes'), files: sum('files') };
}

/**
 * Why a run is stopped that writes to a disk with too little room; undefined for one with enough. To blame is the agent
 * when the room would do without the run, and at least half of what went since `before` went to the run; else the host.
 */
export function lowDiskFault(now: HostDisk, before: HostDisk, used: DiskUse, phase: Phase): Fault | undefined {
  const resource = shortOf(now);
  if (resource === undefined) return undefined;
  const own = used[resource];
  const missing = floorOf(resource, now.size) - now.free[resource];
  const lost = before.free[resource] - now.free[resource];
  const isOwn = own >= missing && own >= lost / 2;
  const room = (count: number) => (resource === 'bytes' ? bytes(count) : `${count} files`);
  const left = `${now.path} has room for ${room(now.free[resource])} left, ${room(Math.round(floorOf(resource, now.size)))} are the least`;
  if (!isOwn) return fault('host_disk_low', `${left}; this run took ${room(own)}`, { phase });
  const taken = Number.isFinite(own) ? `${room(own)} of it went to this run` : "this run's files can't be measured";
  return fault('host_disk_low', `${left}; ${taken}`, { phase, blame: 'agent', retryable: false });
}

/** How long to wait for the next look at a run's use, after one that took `tookMs`. Milliseconds. */
export function lookAgainAfter(tookMs: number): { usual: number; earliest: number } {
  return {
    usual: Math.max(LOOK_INTERVAL, LOOK_SHARE * tookMs),
    earliest: Math.max(EARLY_INTERVAL, EARLY_SHARE * tookMs),
  };
}

/** Whether a run may be over its limit by now, going by what its disks lost since it was measured. */
export function mayBeOver(
  limits: EffectiveLimits,
  measured: { use: RunUse; disks: readonly HostDisk[] },
  now: readonly HostDisk[],
): boolean {
  const { layer, archive } = measured.use;
  const lost = (of: (disk: HostDisk) => boolean): number =>
    now.reduce(
      (sum, disk, at) => sum + (of(disk) ? Math.max(0, (measured.disks[at] ?? disk).free.bytes - disk.free.bytes) : 0),
      0,
    );
  const archiveNow = archive.bytes + lost(({ holds }) => holds.results);
  if (archiveExcess({ bytes: archiveNow, files: 0 }) !== undefined) return true;
  if (limits.disk_bytes === null) return false;
  return (layer?.bytes ?? 0) + archive.bytes + lost(() => true) > limits.disk_bytes;
}

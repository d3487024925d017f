import { CAPS } from '@ssebench/contracts/caps';
import { describe, expect, test } from 'vitest';
import {
  brokenLimit,
  isCritical,
  isLow,
  lookAgainAfter,
  lowDiskFault,
  mayBeOver,
  NO_USE,
  type RunUse,
  usedOf,
} from './disk-rules.ts';
import { UNKNOWN_LIMITS } from './effective-limits.ts';
import type { HostDisk } from './host-disks.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const limits = { ...UNKNOWN_LIMITS, disk_bytes: 4 * GIB };

function disk(free: { bytes?: number; files?: number }, size = 500 * GIB): HostDisk {
  return {
    path: '/disk',
    size: { bytes: size, files: 16_000_000 },
    free: { bytes: 100 * GIB, files: 10_000_000, ...free },
    holds: { layers: true, results: true },
  };
}

function use(layer: number | undefined, archive = 0): RunUse {
  const measured = layer === undefined ? undefined : { bytes: layer, files: 10 };
  const evidentLayer = measured ?? { bytes: Number.POSITIVE_INFINITY, files: 0 };
  return { layer: measured, evidentLayer, archive: { bytes: archive, files: 1 } };
}

const own = (bytes: number, files = 0) => ({ bytes, files });

describe('the limits of a run of its own', () => {
  test('are on what the layer and the archive take together', () => {
    expect(brokenLimit(use(3 * GIB, GIB), limits, 'agent')).toBeUndefined();
    expect(brokenLimit(use(3 * GIB + 1, GIB), limits, 'agent')).toMatchObject({
      code: 'disk_limit',
      blame: 'agent',
      phase: 'agent',
      retryable: false,
      detail: 'the container wrote 3.0 GiB and 1.0 GiB of archive: more than 4.0 GiB, the limit (--disk)',
    });
    expect(brokenLimit(use(5 * GIB), limits, 'grading')).toMatchObject({ code: 'disk_limit', phase: 'grading' });
  });

  test('of an archive are bytes and files', () => {
    const archive = (bytes: number, files: number) => ({ ...use(0), archive: { bytes, files } });
    expect(brokenLimit(archive(CAPS.archive_bytes, CAPS.archive_files), limits, 'agent')).toBeUndefined();
    for (const over of [archive(CAPS.archive_bytes + 1, 1), archive(1, CAPS.archive_files + 1)])
      expect(brokenLimit(over, limits, 'agent')).toMatchObject({ code: 'archive_limit', blame: 'agent' });
  });

  test('are not broken by what nobody can measure', () => {
    expect(brokenLimit(use(undefined), limits, 'agent')).toBeUndefined();
    expect(brokenLimit(use(50 * GIB), { ...limits, disk_bytes: null }, 'agent')).toBeUndefined();
  });
});

describe('a disk of the host', () => {
  test('is low under 2 GiB, and under a quarter where it is small', () => {
    expect(isLow(disk({ bytes: 2 * GIB }))).toBe(false);
    expect(isLow(disk({ bytes: 2 * GIB - 1 }))).toBe(true);
    expect(isLow(disk({ bytes: 200 * MIB }, 800 * MIB))).toBe(false);
    expect(isLow(disk({ bytes: 199 * MIB }, 800 * MIB))).toBe(true);
  });

  test('is low, too, with room for few files; where there is no number of these it never is', () => {
    expect(isLow(disk({ files: 99_999 }))).toBe(true);
    expect(isLow({ ...disk({ files: Number.POSITIVE_INFINITY }), size: { bytes: GIB * 500, files: 0 } })).toBe(false);
  });

  test('leaves time to see whether it gets better down to a quarter of that', () => {
    expect(isCritical(disk({ bytes: 512 * MIB }))).toBe(false);
    expect(isCritical(disk({ bytes: 511 * MIB }))).toBe(true);
    expect(isCritical(disk({}))).toBe(false);
  });
});

describe('on a low disk', () => {
  const before = disk({ bytes: 10 * GIB });
  const now = disk({ bytes: 1.5 * GIB });
  const infra = { code: 'host_disk_low', blame: 'infra', retryable: true };
  const agent = { code: 'host_disk_low', blame: 'agent', retryable: false };

  test('a run that took little is stopped for the host', () => {
    expect(lowDiskFault(now, before, own(100 * MIB), 'agent')).toMatchObject(infra);
  });

  test('a run without which there would be room is to blame', () => {
    expect(lowDiskFault(now, before, own(6 * GIB), 'agent')).toMatchObject(agent);
  });

  test('a run is not to blame when most of the room went to others', () => {
    expect(lowDiskFault(now, disk({ bytes: 60 * GIB }), own(6 * GIB), 'agent')).toMatchObject(infra);
  });

  test('a run that keeps others from measuring it is to blame', () => {
    expect(lowDiskFault(now, before, usedOf(now, use(undefined)), 'agent')).toMatchObject(agent);
  });

  test('the same holds for the number of files', () => {
    const few = disk({ files: 50_000 });
    const many = disk({ files: 3_000_000 });
    expect(lowDiskFault(few, many, own(0, 2_900_000), 'agent')).toMatchObject(agent);
    expect(lowDiskFault(few, many, own(90 * GIB, 1000), 'agent')).toMatchObject(infra);
  });

  test('only what lies on that disk counts', () => {
    const results = { ...now, holds: { layers: false, results: true } };
    expect(usedOf(results, use(6 * GIB, GIB), own(1))).toEqual(own(GIB + 1, 1));
    expect(usedOf({ ...now, holds: { layers: true, results: false } }, use(6 * GIB, GIB))).toEqual(own(6 * GIB, 10));
  });

  test('with enough room nobody is stopped', () => {
    expect(lowDiskFault(disk({}), before, own(90 * GIB), 'agent')).toBeUndefined();
  });
});

describe('looking', () => {
  test('takes a tenth of the time at most, and a third when something has happened', () => {
    expect(lookAgainAfter(20)).toEqual({ usual: 5_000, earliest: 1_000 });
    expect(lookAgainAfter(4_000)).toEqual({ usual: 40_000, earliest: 12_000 });
  });

  test('is due early when the disk lost more than the run may still take', () => {
    const measured = { use: use(GIB, GIB), disks: [disk({ bytes: 50 * GIB })] };
    expect(mayBeOver(limits, measured, [disk({ bytes: 48 * GIB })])).toBe(true);
    expect(mayBeOver(limits, measured, [disk({ bytes: 49.5 * GIB })])).toBe(false);
    expect(mayBeOver(limits, measured, [disk({ bytes: 60 * GIB })])).toBe(false);
    const nothing = { use: { layer: NO_USE, evidentLayer: NO_USE, archive: NO_USE }, disks: measured.disks };
    expect(mayBeOver({ ...limits, disk_bytes: null }, nothing, [disk({ bytes: 47 * GIB })])).toBe(true);
  });
});

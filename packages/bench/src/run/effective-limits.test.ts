import { CAPS } from '@ssebench/contracts/caps';
import { EffectiveLimits } from '@ssebench/contracts/limits';
import { expect, test } from 'vitest';
import { containerLimits, effectiveLimits, UNKNOWN_LIMITS } from './effective-limits.ts';

const GIB = 1024 ** 3;
const nothingAsked = { memoryBytes: undefined, cpus: undefined, pids: undefined, diskBytes: undefined };
const all = { memory: true, cpus: true, pids: true, disk: true };
const laptop = { cpus: 2, memoryBytes: 4 * GIB, diskBytes: 60 * GIB };

test('defaults fit a small machine and a large one, and one whose disk is not seen', () => {
  expect(effectiveLimits(nothingAsked, laptop, all)).toEqual({
    memory_bytes: 3 * GIB,
    cpus: 2,
    pids: 4096,
    disk_bytes: 15 * GIB,
    disk_enforced_by: 'engine',
    ...CAPS,
  });
  expect(effectiveLimits(nothingAsked, { cpus: 64, memoryBytes: 512 * GIB, diskBytes: 4096 * GIB }, all)).toMatchObject(
    {
      memory_bytes: 8 * GIB,
      cpus: 4,
      disk_bytes: 20 * GIB,
    },
  );
  expect(effectiveLimits(nothingAsked, { ...laptop, diskBytes: undefined }, all)).toMatchObject({
    disk_bytes: 20 * GIB,
  });
});

test('what the engine cannot limit is recorded as no limit, and not asked of it', () => {
  const limits = effectiveLimits(nothingAsked, laptop, { ...all, pids: false });
  expect(limits.pids).toBeNull();
  expect(containerLimits(limits)).toEqual({ memoryBytes: 3 * GIB, cpus: 2, diskBytes: 15 * GIB });
});

test('a disk limit that the engine has no quota for holds by watching', () => {
  const limits = effectiveLimits({ ...nothingAsked, diskBytes: GIB }, laptop, { ...all, disk: false });
  expect(limits).toMatchObject({ disk_bytes: GIB, disk_enforced_by: 'watch' });
  expect(containerLimits(limits)).toEqual({ memoryBytes: 3 * GIB, cpus: 2, pids: 4096 });
});

test('a run whose engine was not reached has limits to record, too', () => {
  expect(EffectiveLimits.parse(UNKNOWN_LIMITS)).toEqual(UNKNOWN_LIMITS);
});

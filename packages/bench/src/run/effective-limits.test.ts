import { expect, test } from 'vitest';
import { containerLimits, effectiveLimits } from './effective-limits.ts';

const GIB = 1024 ** 3;
const nothingAsked = { memoryBytes: undefined, cpus: undefined, pids: undefined, diskBytes: undefined };
const all = { memory: true, cpus: true, pids: true, disk: true };

test('defaults fit a small machine and a large one', () => {
  expect(effectiveLimits(nothingAsked, { cpus: 2, memoryBytes: 4 * GIB }, all)).toEqual({
    memory_bytes: 3 * GIB,
    cpus: 2,
    pids: 4096,
    disk_bytes: 20 * GIB,
  });
  expect(effectiveLimits(nothingAsked, { cpus: 64, memoryBytes: 512 * GIB }, all)).toMatchObject({
    memory_bytes: 8 * GIB,
    cpus: 4,
  });
});

test('what the engine cannot limit is recorded as no limit, and not asked of it', () => {
  const limits = effectiveLimits(
    { ...nothingAsked, diskBytes: GIB },
    { cpus: 2, memoryBytes: 4 * GIB },
    { ...all, disk: false },
  );
  expect(limits.disk_bytes).toBeNull();
  expect(containerLimits(limits)).toEqual({ memoryBytes: 3 * GIB, cpus: 2, pids: 4096 });
});

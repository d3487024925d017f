import type { EngineAbilities } from '@ssebench/engine/port';
import { expect, test } from 'vitest';
import { allowedAbilities } from '../run/host-mounts.ts';
import { abilityChecks } from './engine-checks.ts';

const ABLE: EngineAbilities = {
  hostMounts: true,
  socketMounts: true,
  users: true,
  buildkit: true,
  limits: { memory: true, cpus: true, pids: true, disk: true },
  reasons: {},
};

const statuses = (abilities: EngineAbilities) =>
  Object.fromEntries(abilityChecks(abilities).map(({ name, status }) => [name, status]));
const runs = (abilities: EngineAbilities) => abilityChecks(abilities).find(({ name }) => name === 'Runs');

test('an engine that can do everything is fine, and what that means for runs stands in one line', () => {
  expect(new Set(Object.values(statuses(ABLE)))).toEqual(new Set(['ok']));
  expect(runs(ABLE)?.detail).toBe(
    'results through host directories; progress of every check; limits: memory, cpus, pids, disk',
  );
});

test('an engine that shares nothing with this machine runs all the same, by its nature or by the setting', () => {
  const off = allowedAbilities(ABLE, 'off');
  expect(allowedAbilities(ABLE, 'auto')).toBe(ABLE);
  expect(statuses(off)).toMatchObject({ Runs: 'ok', 'Host directories': 'warn', 'Host sockets': 'warn', Users: 'ok' });
  expect(runs(off)?.detail).toMatch(/^results through volumes; progress by phases;/);
});

test('an engine whose limits do not hold is warned of, one whose root is no root can not run anything', () => {
  const unlimited = { ...ABLE, limits: { memory: false, cpus: false, pids: false, disk: false } };
  expect(statuses(unlimited)).toMatchObject({ Runs: 'ok', Limits: 'warn', 'Disk limit': 'warn' });
  expect(runs(unlimited)?.detail).toMatch(/limits: disk by watching$/);
  expect(statuses({ ...ABLE, users: false })).toMatchObject({ Runs: 'fail', Users: 'fail' });
});

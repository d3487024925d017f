import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { ownerLives } from '../results/owner.ts';
import { claimRun, type RunOwner, takeOver } from './owner.ts';

const owners: RunOwner[] = [];
afterEach(async () => {
  for (const owner of owners.splice(0)) await owner.release();
});

async function claim(): Promise<RunOwner> {
  const owner = await claimRun(randomBytes(4).toString('hex'));
  owners.push(owner);
  return owner;
}

async function follow(owner: RunOwner): Promise<RunOwner | undefined> {
  const next = await takeOver(owner);
  if (next) owners.push(next);
  return next;
}

test('nobody takes over from an owner that lives', async () => {
  const owner = await claim();
  expect(await ownerLives(owner.socket)).toBe(true);
  expect(await follow(owner)).toBeUndefined();
});

test('of many that find an owner dead at the same moment one follows it, under the same name', async () => {
  const owner = await claim();
  await owner.abandon();
  expect(await ownerLives(owner.socket)).toBe(false);
  const followers = await Promise.all(Array.from({ length: 20 }, () => follow(owner)));
  const [only, ...others] = followers.filter((follower) => follower !== undefined);
  expect(others).toEqual([]);
  expect(only?.socket).toBe(owner.socket);
  expect(await ownerLives(owner.socket)).toBe(true);
});

test('who found an owner dead does not follow the one that was quicker', async () => {
  const owner = await claim();
  await owner.abandon();
  const followers: (RunOwner | undefined)[] = [];
  // Each starts when the one before is at some other point of taking over.
  await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      for (let turn = 0; turn < index; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      followers.push(await follow(owner));
    }),
  );
  expect(followers.filter((follower) => follower !== undefined)).toHaveLength(1);
});

test('who took a run over can be followed, too', async () => {
  const owner = await claim();
  await owner.abandon();
  for (let generation = 1; generation < 12; generation += 1) await (await follow(owner))?.abandon();
  expect(await ownerLives(owner.socket)).toBe(false);
  expect(await follow(owner)).toBeDefined();
  expect(await follow(owner)).toBeUndefined();
});

test('a machine that was started anew has no directory any more, and the run can be taken over all the same', async () => {
  const owner = await claim();
  await owner.abandon();
  rmSync(owner.directory, { recursive: true });
  expect(await ownerLives(owner.socket)).toBe(false);
  expect(await follow(owner)).toBeDefined();
  expect(await follow(owner)).toBeUndefined();
});

test('a released run leaves nothing', async () => {
  const owner = await claim();
  await owner.release();
  expect(existsSync(owner.directory)).toBe(false);
});

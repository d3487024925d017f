import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskUse } from './disk-use.ts';

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'disk-use-'));
});
afterEach(() => {
  // Paths that are too long for Node.js are not for `rm`.
  execFileSync('/bin/rm', ['-rf', tree]);
});

const MIB = 1024 * 1024;
const write = (name: string, bytes: number) => writeFileSync(join(tree, name), Buffer.alloc(bytes, 1));

test('counts what is on the disk: no holes, several names of a file once, nothing behind a link', async () => {
  write('one', 2 * MIB);
  linkSync(join(tree, 'one'), join(tree, 'again'));
  symlinkSync('/usr', join(tree, 'link'));
  writeFileSync(join(tree, 'sparse'), '');
  truncateSync(join(tree, 'sparse'), 2 ** 40);
  const { bytes, files } = await diskUse(tree);
  expect(files).toBe(4);
  expect(bytes).toBeGreaterThanOrEqual(2 * MIB);
  expect(bytes).toBeLessThan(2.2 * MIB);
});

test('a tree that is deeper than any path can say hides nothing', async () => {
  const script = 'for (1..40) { mkdir "d" x 200; chdir "d" x 200 } open F, ">f"; print F "x" x 3000000';
  execFileSync('/usr/bin/perl', ['-e', script], { cwd: tree });
  const { bytes, files } = await diskUse(tree);
  expect(files).toBe(41);
  expect(bytes).toBeGreaterThan(3_000_000);
});

test('counts only what has changed since, whatever times it claims', async () => {
  mkdirSync(join(tree, 'old'));
  write('old/before', 3 * MIB);
  await delay(20);
  const since = Date.now();
  await delay(20);
  write('new', MIB);
  utimesSync(join(tree, 'new'), 1, 1);
  const used = await diskUse(tree, { since });
  expect(used.files).toBe(1);
  expect(used.bytes).toBeLessThan(2 * MIB);
});

test('stops counting when there are more than matter', async () => {
  for (let i = 0; i < 50; i += 1) write(`f${i}`, 1);
  expect((await diskUse(tree, { maxFiles: 10 })).files).toBe(11);
});

test('what is another file system is not entered', async () => {
  mkdirSync(join(tree, 'mount'));
  write('mount/in', MIB);
  expect((await diskUse(tree, { except: new Set([join(tree, 'mount')]) })).files).toBe(1);
});

test('what goes away meanwhile is no error', async () => {
  for (let i = 0; i < 3000; i += 1) write(`f${i}`, 1);
  const counting = diskUse(tree);
  for (let i = 0; i < 3000; i += 1) rmSync(join(tree, `f${i}`));
  await expect(counting).resolves.toBeDefined();
});

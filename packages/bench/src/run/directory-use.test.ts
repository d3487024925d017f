import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directoryUse } from './directory-use.ts';

const MIB = 1024 * 1024;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'directory-use-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('counts blocks of what is there, without holes and without what links name', async () => {
  mkdirSync(join(directory, 'below'));
  writeFileSync(join(directory, 'below/file'), Buffer.alloc(MIB, 1));
  symlinkSync('/usr', join(directory, 'link'));
  writeFileSync(join(directory, 'sparse'), '');
  truncateSync(join(directory, 'sparse'), 2 ** 40);
  const { bytes, files } = await directoryUse(directory, { maxFiles: 100 });
  expect(files).toBe(4);
  expect(bytes).toBeGreaterThanOrEqual(MIB);
  expect(bytes).toBeLessThan(2 * MIB);
});

test('leaves out what it is told to, and stops at the most that matters', async () => {
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(directory, name), 'x');
  const except = join(directory, 'a');
  expect(await directoryUse(directory, { maxFiles: 100, except })).toMatchObject({ files: 3 });
  expect(await directoryUse(directory, { maxFiles: 2 })).toMatchObject({ files: 3 });
});

test('a directory that is not there takes nothing', async () => {
  expect(await directoryUse(join(directory, 'none'), { maxFiles: 1 })).toEqual({ bytes: 0, files: 0 });
});

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readGradeOutcome, readRegularFile, readWorkOutcome } from './outcome-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ssebench-outcome-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('a grade container without a result is a fault of the machinery', async () => {
  expect(await readGradeOutcome(directory)).toMatchObject({
    result: undefined,
    fault: { code: 'no_result', blame: 'infra' },
  });
});

test('a result that is no valid document counts as none', async () => {
  await writeFile(join(directory, 'result.json'), '{"patch_result":{"status":"passed"}}');
  expect((await readGradeOutcome(directory)).result).toBeUndefined();
});

test('a link, a FIFO and a file that is too large are never read', async () => {
  await writeFile(join(directory, 'secret'), 'x'.repeat(100));
  await symlink('secret', join(directory, 'link'));
  execFileSync('mkfifo', [join(directory, 'fifo')]);
  expect(await readRegularFile(join(directory, 'link'), 1000)).toBeUndefined();
  expect(await readRegularFile(join(directory, 'fifo'), 1000)).toBeUndefined();
  expect(await readRegularFile(join(directory, 'secret'), 99)).toBeUndefined();
  expect(await readRegularFile(join(directory, 'secret'), 100)).toHaveLength(100);
});

test('no work.json is no outcome', async () => {
  expect(await readWorkOutcome(directory)).toBeUndefined();
});

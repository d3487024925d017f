import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserError } from '../cli/errors.ts';
import { createRunDirectory, settleRunDirectory } from './run-directory.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ssebench-results-'));
});
afterEach(() => rm(root, { recursive: true }));

const name = { task: 'ini-1', model: 'vendor/m-1', agent: 'dummy', runId: 'trial-1' };

test('until a run ends its directory is a link to a place that tells nothing of it', async () => {
  const directory = await createRunDirectory(root, name);
  expect(directory.path).toBe(join(root, 'ini-1/vendor/m-1/dummy/trial-1'));
  expect(directory.live).toMatch(/\/\.live\/[0-9a-f]{8}$/);
  expect(await readlink(directory.path)).toBe(`../../../../.live/${directory.token}`);
  await writeFile(join(directory.live, 'result.json'), '{}');
  expect(await readFile(join(directory.path, 'result.json'), 'utf8')).toBe('{}');
});

test('a settled directory takes the place of the link', async () => {
  const directory = await createRunDirectory(root, name);
  await writeFile(join(directory.live, 'result.json'), '{}');
  await settleRunDirectory(directory);
  await expect(readlink(directory.path)).rejects.toThrow();
  expect(await readFile(join(directory.path, 'result.json'), 'utf8')).toBe('{}');
  expect(existsSync(directory.live)).toBe(false);
});

test('a run ID in use is refused, and the run that has it is left as it was', async () => {
  const first = await createRunDirectory(root, name);
  await writeFile(join(first.live, 'result.json'), 'first');
  await expect(createRunDirectory(root, name)).rejects.toThrow(UserError);
  await settleRunDirectory(first);
  await expect(createRunDirectory(root, name)).rejects.toThrow(/trial-1 exists; use another --run-id/);
  expect(await readFile(join(first.path, 'result.json'), 'utf8')).toBe('first');
});

test('latest points to the run that started last', async () => {
  await createRunDirectory(root, name);
  await createRunDirectory(root, { ...name, runId: 'trial-2' });
  expect(await readlink(join(root, 'ini-1/vendor/m-1/dummy/latest'))).toBe('trial-2');
});

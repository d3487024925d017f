import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserError } from '../cli/errors.ts';
import {
  createRunDirectory,
  type RunDirectory,
  type RunName,
  runDirectory,
  settleRunDirectory,
} from './run-directory.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ssebench-results-'));
});
afterEach(() => rm(root, { recursive: true }));

const nothing = async (): Promise<void> => undefined;

async function create(name: RunName, token: string): Promise<RunDirectory> {
  const directory = runDirectory(root, name, token);
  await createRunDirectory(directory, nothing);
  return directory;
}

const name = { task: 'ini-1', model: 'vendor/m-1', agent: 'dummy', runId: 'trial-1' };

test('until a run ends its directory is a link to a place that tells nothing of it', async () => {
  const directory = await create(name, '0a0b0c0d');
  expect(directory.path).toBe(join(root, 'ini-1/vendor/m-1/dummy/trial-1'));
  expect(directory.live).toMatch(/\/\.live\/[0-9a-f]{8}$/);
  expect(await readlink(directory.path)).toBe(`../../../../.live/${directory.token}`);
  await writeFile(join(directory.live, 'result.json'), '{}');
  expect(await readFile(join(directory.path, 'result.json'), 'utf8')).toBe('{}');
});

test('a settled directory takes the place of the link', async () => {
  const directory = await create(name, '0a0b0c0d');
  await writeFile(join(directory.live, 'result.json'), '{}');
  await settleRunDirectory(directory);
  await expect(readlink(directory.path)).rejects.toThrow();
  expect(await readFile(join(directory.path, 'result.json'), 'utf8')).toBe('{}');
  expect(existsSync(directory.live)).toBe(false);
});

test('a run ID in use is refused, and the run that has it is left as it was', async () => {
  const first = await create(name, '0a0b0c0d');
  await writeFile(join(first.live, 'result.json'), 'first');
  await expect(create(name, '11111111')).rejects.toThrow(UserError);
  await settleRunDirectory(first);
  await expect(create(name, '11111111')).rejects.toThrow(/trial-1 exists; use another --run-id/);
  expect(await readFile(join(first.path, 'result.json'), 'utf8')).toBe('first');
});

test('latest points to the run that started last', async () => {
  await create(name, '0a0b0c0d');
  await create({ ...name, runId: 'trial-2' }, '11111111');
  expect(await readlink(join(root, 'ini-1/vendor/m-1/dummy/latest'))).toBe('trial-2');
});

test('a directory that can not be begun leaves nothing, and its ID stays free', async () => {
  const directory = runDirectory(root, name, '0a0b0c0d');
  const full = () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  await expect(createRunDirectory(directory, full)).rejects.toThrow('no space');
  expect(existsSync(directory.live)).toBe(false);
  await create(name, '11111111');
});

test('a run never takes the place of another', async () => {
  const first = await create(name, '0a0b0c0d');
  await settleRunDirectory(first);
  const nameless = runDirectory(root, name, '11111111');
  await expect(createRunDirectory(nameless, nothing)).rejects.toThrow(UserError);
  await expect(settleRunDirectory(nameless)).rejects.toThrow(/is another run/);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskLeaks } from '../leaks/scan-task.ts';
import { readLeaks, writeLeaks } from './leaks-file.ts';

const SCANNED = { files: 1, bytes: 2, archives: 0, git_objects: 0, seconds: 0.1 };
const LEAKS: TaskLeaks = {
  images: { case: 'sha256:a', work: 'sha256:b' },
  leaks: [],
  passages: 3,
  scanned: { work: SCANNED, case: SCANNED },
  unread: [],
};

let output: string;

beforeEach(() => {
  output = mkdtempSync(join(tmpdir(), 'ssebench-leaks-'));
});

afterEach(() => rmSync(output, { recursive: true }));

test('a search counts for the images and the version that it was made with, and no others', async () => {
  const { images } = LEAKS;
  expect(readLeaks(output, 'task', { images, version: '1' })).toBeUndefined();
  await writeLeaks(output, 'task', LEAKS, '1');
  expect(readLeaks(output, 'task', { images, version: '1' })).toMatchObject(LEAKS);
  expect(readLeaks(output, 'task', { images, version: '2' })).toBeUndefined();
  expect(readLeaks(output, 'task', { images: { ...images, work: 'sha256:c' }, version: '1' })).toBeUndefined();
});

test('what can not be read is no search', async () => {
  const { images } = LEAKS;
  await writeLeaks(output, 'task', LEAKS, '1');
  for (const text of ['', '{"images":', JSON.stringify({ version: '1', images })]) {
    writeFileSync(join(output, 'leaks/task.json'), text);
    expect(readLeaks(output, 'task', { images, version: '1' })).toBeUndefined();
  }
});

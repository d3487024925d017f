import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunDirectory, runDirectory } from './run-directory.ts';
import { collectSnapshots, snapshotReport } from './run-snapshots.ts';

let root: string;
let directory: RunDirectory;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'snapshots-'));
  directory = runDirectory(root, { task: 't', model: 'm', agent: 'a', runId: 'r' }, '0a0b0c0d');
  mkdirSync(directory.work, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const line = (number: number, bytes: number) => ({
  seconds: number * 30,
  at: '2026-01-02T03:04:05.678Z',
  file: `${String(number).padStart(4, '0')}-${number * 30}s.diff`,
  bytes,
  files: 1,
  sha256: '0'.repeat(64),
});
const leave = (name: string, content: string) => writeFileSync(join(directory.work, name), content);
const leaveLines = (...lines: readonly object[]) =>
  leave('snapshots.jsonl', lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
const kept = () => readdirSync(join(directory.live, 'snapshots')).sort();

test('a run that was to keep none has no report, and one that saw no change says so', async () => {
  expect(await snapshotReport(directory)).toBeNull();
  leaveLines();
  expect(await snapshotReport(directory)).toMatchObject({ kept: 0, first_change: null, failed: 0 });
  await collectSnapshots(directory);
  expect(existsSync(join(directory.live, 'snapshots'))).toBe(false);
});

test('of what a container left, only what its index and the limits allow is kept', async () => {
  const outside = join(root, 'outside');
  writeFileSync(outside, 'secret');
  leave('snapshot-0001-30s.diff', 'four');
  symlinkSync(outside, join(directory.work, 'snapshot-0002-60s.diff'));
  leave('snapshot-0003-90s.diff', 'longer than it says');
  leave('snapshot-0009-1s.diff', 'in no line');
  const climbing = { ...line(5, 6), file: '../../outside' };
  leaveLines(line(1, 4), line(1, 4), line(2, 6), line(3, 4), line(4, 1), climbing, { seconds: 1 });
  expect(await snapshotReport(directory)).toMatchObject({ kept: 1, bytes: 4, first_change: 30, last_change: 30 });
  await collectSnapshots(directory);
  expect(kept()).toEqual(['0001-30s.diff', 'index.jsonl']);
  expect(readFileSync(join(directory.live, 'snapshots/index.jsonl'), 'utf8')).toBe(`${JSON.stringify(line(1, 4))}\n`);
});

test('no more are kept than there may be, in number and in bytes', async () => {
  const large = 'x'.repeat(16 * 1024 ** 2);
  const lines = Array.from({ length: 210 }, (_, index) => line(index + 1, index < 5 ? large.length : 0));
  for (const { file, bytes } of lines) leave(`snapshot-${file}`, bytes === 0 ? '' : large);
  leaveLines(...lines);
  expect(await snapshotReport(directory)).toMatchObject({ kept: 199, bytes: 64 * 1024 ** 2 });
});

test('a line that was cut short is none', async () => {
  leave('snapshot-0001-30s.diff', 'four');
  leave('snapshots.jsonl', `${JSON.stringify(line(1, 4))}\n${JSON.stringify(line(2, 4)).slice(0, 20)}`);
  expect(await snapshotReport(directory)).toMatchObject({ kept: 1 });
});

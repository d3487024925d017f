import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CAPS } from '@ssebench/contracts/caps';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archiveOver, watchArchive } from './archive-watch.ts';

let archive: string;
beforeEach(() => {
  archive = mkdtempSync(join(tmpdir(), 'archive-'));
});
afterEach(() => rmSync(archive, { recursive: true }));

test('an archive has room for what agents keep, and for no more bytes than its limit', async () => {
  writeFileSync(join(archive, 'dialog.jsonl'), '{}\n');
  expect(await archiveOver(archive)).toBeUndefined();
  execFileSync('fallocate', ['-l', String(CAPS.archive_bytes + 1), join(archive, 'large')]);
  expect(await archiveOver(archive)).toMatch(/^\d+ bytes, allowed are 2147483648$/);
});

test('one that gets too large while the agent works is told of at once', async () => {
  const ended = new AbortController();
  const told = watchArchive(archive, ended.signal);
  execFileSync('fallocate', ['-l', String(CAPS.archive_bytes + 1), join(archive, 'large')]);
  expect(await told).toContain('bytes');
});

test("watching ends with the agent's work", async () => {
  const ended = new AbortController();
  const told = watchArchive(archive, ended.signal);
  ended.abort();
  expect(await told).toBeUndefined();
});

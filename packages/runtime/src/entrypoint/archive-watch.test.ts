import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveExcess, CAPS } from '@ssebench/contracts/caps';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archiveUse, watchArchive } from './archive-watch.ts';

let archive: string;
beforeEach(() => {
  archive = mkdtempSync(join(tmpdir(), 'archive-'));
});
afterEach(() => rmSync(archive, { recursive: true }));

/** As many names as an archive may have, and one more. */
function fill(): void {
  writeFileSync(join(archive, 'file'), '');
  for (let i = 0; i < CAPS.archive_files; i += 1) linkSync(join(archive, 'file'), join(archive, `n${i}`));
}

test('an archive has room for what agents keep, and no more', async () => {
  writeFileSync(join(archive, 'dialog.jsonl'), '{}\n');
  expect(archiveExcess(await archiveUse(archive))).toBeUndefined();
  fill();
  expect(archiveExcess(await archiveUse(archive))).toBe('more than 50000 files and directories');
});

test('one that gets too large while the agent works is told of at once', async () => {
  const ended = new AbortController();
  const told = watchArchive(archive, ended.signal);
  fill();
  expect(await told).toContain('files');
});

test("watching ends with the agent's work", async () => {
  const ended = new AbortController();
  const told = watchArchive(archive, ended.signal);
  ended.abort();
  expect(await told).toBeUndefined();
});

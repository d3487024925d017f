import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CAPS } from '@ssebench/contracts/caps';
import { fault } from '@ssebench/contracts/faults';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropExcess } from './archive-excess.ts';

let archive: string;
beforeEach(() => {
  archive = mkdtempSync(join(tmpdir(), 'archive-'));
  writeFileSync(join(archive, 'dialog.jsonl'), '{}\n');
  writeFileSync(join(archive, 'notes'), 'x');
});
afterEach(() => rmSync(archive, { recursive: true }));

/** As many names as an archive may have. */
function fill(): void {
  mkdirSync(join(archive, 'many'));
  for (let i = 0; i < CAPS.archive_files; i += 1) linkSync(join(archive, 'notes'), join(archive, 'many', `n${i}`));
}

const left = () => readdirSync(archive).sort();

test('an archive within its limits stays, whatever ended the run', async () => {
  await dropExcess(archive, fault('disk_limit', 'x'));
  expect(left()).toEqual(['dialog.jsonl', 'notes']);
});

test('of one over its limits, or that a full host has no room for, only the session stays', async () => {
  fill();
  await dropExcess(archive, fault('archive_limit', 'x'));
  expect(left()).toEqual(['dialog.jsonl']);
  writeFileSync(join(archive, 'notes'), 'x');
  await dropExcess(archive, fault('host_disk_low', 'x'));
  expect(left()).toEqual(['dialog.jsonl']);
});

test('a session that is no session goes, too', async () => {
  rmSync(join(archive, 'dialog.jsonl'));
  mkdirSync(join(archive, 'dialog.jsonl'));
  await dropExcess(archive, fault('host_disk_low', 'x'));
  expect(left()).toEqual([]);
});

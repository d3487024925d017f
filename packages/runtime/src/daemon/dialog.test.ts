import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Dialog } from './dialog.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ssebench-daemon-test-'));
  file = join(dir, 'dialog.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true }));

test("entries come in the file's order; lines that are none are passed over", async () => {
  const dialog = new Dialog(dir);
  expect(await dialog.entries(undefined)).toEqual([]);
  writeFileSync(
    file,
    '{"seq":0}\nnonsense\n{"no":1}\n[1]\n{"seq":"2"}\n{"seq":3,"type":"\ufffd"}\n{"seq":2}\n{"seq":4',
  );
  expect(await dialog.entries(undefined)).toEqual([{ seq: 0 }, { seq: 3, type: '\ufffd' }, { seq: 2 }]);
  expect(await dialog.entries(2)).toEqual([{ seq: 3, type: '\ufffd' }]);
});

test('a reader that goes on from its last entry gets what is new, also after the file was replaced', async () => {
  const dialog = new Dialog(dir);
  writeFileSync(file, '{"seq":0}\n{"seq":1}\n{"se');
  expect(await dialog.entries(-1)).toHaveLength(2);
  appendFileSync(file, 'q":2}\n{"seq":3}');
  expect(await dialog.entries(1)).toEqual([{ seq: 2 }, { seq: 3 }]);
  expect(await dialog.entries(0)).toEqual([{ seq: 1 }, { seq: 2 }, { seq: 3 }]);
  writeFileSync(file, '{"seq":9}\n');
  expect(await dialog.entries(3)).toEqual([{ seq: 9 }]);
});

test('what is not a regular file counts as none, and keeps nobody waiting', async () => {
  const dialog = new Dialog(dir);
  symlinkSync('/etc/passwd', file);
  expect(await dialog.entries(undefined)).toEqual([]);
  rmSync(file);
  execFileSync('/usr/bin/mkfifo', [file]);
  expect(await dialog.entries(undefined)).toEqual([]);
});

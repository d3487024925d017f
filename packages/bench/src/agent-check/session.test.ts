import { mkdirSync, mkdtempDisposableSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSession } from './session.ts';

const ENTRY = { seq: 0, ts: '2026-01-01T00:00:00.000Z', type: 'thinking', content: 'x' };

test('a session is what the run itself left, never what a link of its agent leads to', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'session-'));
  const path = join(folder.path, 'archive/dialog.jsonl');
  mkdirSync(join(folder.path, 'archive'));
  expect(readSession(folder.path)).toBeUndefined();
  writeFileSync(path, `${JSON.stringify(ENTRY)}\n{"seq":\n`);
  expect(readSession(folder.path)).toEqual({ entries: [ENTRY], broken: [expect.stringMatching(/^2: /)] });
  rmSync(path);
  writeFileSync(join(folder.path, 'other'), `${JSON.stringify(ENTRY)}\n`);
  symlinkSync('../other', path);
  expect(readSession(folder.path)).toBeUndefined();
});

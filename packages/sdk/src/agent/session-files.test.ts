import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SessionFiles } from './session-files.ts';

let directory: string;
let files: SessionFiles;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'session-'));
  files = new SessionFiles(join(directory, 'chats'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('lines come once, when they are whole, from files that appear whenever they do', () => {
  expect(files.read()).toEqual([]);
  mkdirSync(join(directory, 'chats/sub'), { recursive: true });
  writeFileSync(join(directory, 'chats/a.jsonl'), '{"n":1}\n{"n":"ä');
  writeFileSync(join(directory, 'chats/notes.txt'), 'no\n');
  expect(files.read()).toEqual([{ file: 'a.jsonl', line: '{"n":1}' }]);
  appendFileSync(join(directory, 'chats/a.jsonl'), '"}\n');
  writeFileSync(join(directory, 'chats/sub/b.jsonl'), '{"n":3}\n');
  expect(files.read()).toEqual([
    { file: 'a.jsonl', line: '{"n":"ä"}' },
    { file: 'sub/b.jsonl', line: '{"n":3}' },
  ]);
  expect(files.read()).toEqual([]);
});

test('what is no file, or none any more, is in nobody’s way', () => {
  mkdirSync(join(directory, 'chats/b.jsonl'), { recursive: true });
  for (const name of ['a', 'z']) writeFileSync(join(directory, `chats/${name}.jsonl`), `${name}\n`);
  symlinkSync('/no/such', join(directory, 'chats/c.jsonl'));
  execFileSync('mkfifo', [join(directory, 'chats/d.jsonl')]);
  expect(files.read().map(({ line }) => line)).toEqual(['a', 'z']);
});

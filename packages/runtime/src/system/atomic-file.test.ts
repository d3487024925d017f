import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileAtomic } from './atomic-file.ts';
import { removeTree } from './remove-tree.ts';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'ssebench-atomic-'));
  onTestFinished(() => removeTree(path));
  return path;
}

test('an atomic write replaces the whole file, sets the mode, and leaves nothing beside it', async () => {
  const path = join(directory(), 'file');
  await writeFileAtomic(path, 'old');
  await writeFileAtomic(path, Buffer.from([0xff]), 0o640);
  expect(readFileSync(path)).toEqual(Buffer.from([0xff]));
  expect(statSync(path).mode & 0o7777).toBe(0o640);
  expect(readdirSync(join(path, '..'))).toEqual(['file']);
});

test('an atomic write that fails leaves the old content and no temporary file', async () => {
  const path = join(directory(), 'file');
  await writeFileAtomic(path, 'old');
  const broken = (async function* () {
    yield Buffer.from('new');
    throw new Error('source broke');
  })();
  await expect(writeFileAtomic(path, broken)).rejects.toThrow('source broke');
  expect(readFileSync(path, 'utf8')).toBe('old');
  expect(readdirSync(join(path, '..'))).toEqual(['file']);
});

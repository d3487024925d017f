import { lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { writeFileAtomic } from './atomic-write.ts';

test('a file is replaced whole, a link is replaced and not followed, and nothing else is left', async () => {
  using folder = cliFolder({ 'd/target': 'kept', 'd/file': 'old' });
  const dir = join(folder.dir, 'd');
  symlinkSync('target', join(dir, 'link'));
  await writeFileAtomic(join(dir, 'file'), 'new', 0o600);
  await writeFileAtomic(join(dir, 'link'), 'new');
  expect(['file', 'link', 'target'].map((name) => readFileSync(join(dir, name), 'utf8'))).toEqual([
    'new',
    'new',
    'kept',
  ]);
  expect(lstatSync(join(dir, 'link')).isFile()).toBe(true);
  expect(lstatSync(join(dir, 'file')).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir).sort()).toEqual(['file', 'link', 'target']);
});

test('when it fails the old file stands and no temporary one is left', async () => {
  using folder = cliFolder({ 'd/taken/file': 'kept' });
  await expect(writeFileAtomic(join(folder.dir, 'd/taken'), 'new')).rejects.toThrow();
  expect(readdirSync(join(folder.dir, 'd'))).toEqual(['taken']);
});

import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeTree } from '../system/remove-tree.ts';
import { ignoredPaths } from './ignored-paths.ts';

test("the project's own rules at every depth tell what is ignored, of files that are there and that are not", async () => {
  const tree = mkdtempSync(join(tmpdir(), 'ssebench-ignored-test-'));
  onTestFinished(() => removeTree(tree));
  mkdirSync(join(tree, 'sub'));
  writeFileSync(join(tree, '.gitignore'), '/build/\n*.o\n!keep.o\n');
  writeFileSync(join(tree, 'sub/.gitignore'), 'made\n');
  writeFileSync(join(tree, 'there.o'), '');
  symlinkSync('/etc', join(tree, 'link'));
  const ignored = ['build/test', 'build/deep/\xff\n', 'a.o', 'there.o', 'sub/made', '-x.o'];
  const others = ['keep.o', 'src/build/x.c', 'made', 'sub/x', 'link/a.o', 'link/deep/a.o', '.gitignore', ':(top)x'];
  expect(await ignoredPaths(tree, [...ignored, ...others])).toEqual(new Set(ignored));
  expect(await ignoredPaths(tree, others)).toEqual(new Set());
  expect(await ignoredPaths(tree, [])).toEqual(new Set());
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeTree } from '../system/remove-tree.ts';
import { patchPaths } from './patch-paths.ts';

function pathsIn(patch: string): Promise<Set<string>> {
  const dir = mkdtempSync(join(tmpdir(), 'ssebench-patch-paths-'));
  onTestFinished(() => removeTree(dir));
  writeFileSync(join(dir, 'patch'), patch, 'latin1');
  return patchPaths(join(dir, 'patch'));
}

test('an empty patch has no paths', async () => {
  expect(await pathsIn('')).toEqual(new Set());
});

test('changes, additions, deletions, modes and both names of a rename are all there, whatever their bytes', async () => {
  const patch = [
    'diff --git a/changed b/changed',
    '--- a/changed',
    '+++ b/changed',
    '@@ -1 +1 @@',
    '-a',
    '+b',
    String.raw`diff --git "a/new\n\377\t\"x" "b/new\n\377\t\"x"`,
    'new file mode 100644',
    'index 0000000..c1b0730',
    '--- /dev/null',
    String.raw`+++ "b/new\n\377\t\"x"`,
    '@@ -0,0 +1 @@',
    '+x',
    'diff --git a/gone b/gone',
    'deleted file mode 100644',
    '--- a/gone',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-b',
    'diff --git a/tests/from b/to',
    'similarity index 100%',
    'rename from tests/from',
    'rename to to',
    'diff --git a/mode b/mode',
    'old mode 100644',
    'new mode 100755',
    'diff --git a/link b/link',
    'new file mode 120000',
    '--- /dev/null',
    '+++ b/link',
    '@@ -0,0 +1 @@',
    '+/etc/passwd',
    String.raw`\ No newline at end of file`,
    'diff --git a/-dash b/-dash',
    'new file mode 100644',
    'index 0000000..e69de29',
    '',
  ].join('\n');
  expect(await pathsIn(patch)).toEqual(
    new Set(['changed', 'new\n\xff\t"x', 'gone', 'tests/from', 'to', 'mode', 'link', '-dash']),
  );
});

test('lines of a content that look like headers name nothing', async () => {
  const patch =
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n --- a/y\n-+++ b/y\n+diff --git a/z b/z\n++++ b/z\n';
  expect(await pathsIn(patch)).toEqual(new Set(['x']));
});

test('a diff of other programs is read as git reads it', async () => {
  expect(await pathsIn('--- a/tests/x\n+++ b/tests/x\n@@ -1 +1 @@\n-a\n+b\n')).toEqual(new Set(['tests/x']));
});

test('what is no patch is an error', async () => {
  await expect(pathsIn('nonsense\n')).rejects.toThrow('git apply');
});

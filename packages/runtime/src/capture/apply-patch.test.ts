import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeTree } from '../system/remove-tree.ts';
import { applyPatch } from './apply-patch.ts';

const newFile = (path: string, content = 'bad') =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${content}\n`;

/** A tree with one file, beside a directory that no patch may reach. */
function project() {
  const root = mkdtempSync(join(tmpdir(), 'ssebench-apply-test-'));
  onTestFinished(() => removeTree(root));
  const repo = join(root, 'repo');
  for (const path of [repo, join(root, 'outside')]) mkdirSync(path);
  writeFileSync(join(repo, 'file'), 'old\n');
  const apply = (patch: string) => {
    writeFileSync(join(root, 'patch'), patch, 'latin1');
    return applyPatch({ patchPath: join(root, 'patch'), repo });
  };
  return { root, repo, apply };
}

test('an empty patch applies and changes nothing', async () => {
  const { repo, apply } = project();
  expect(await apply('')).toEqual({ applied: true });
  expect(readdirSync(repo)).toEqual(['file']);
});

test('a patch that does not fit leaves every file as it was, and says why', async () => {
  const { repo, apply } = project();
  const stale = 'diff --git a/file b/file\n--- a/file\n+++ b/file\n@@ -1 +1 @@\n-other\n+new\n';
  expect(await apply(newFile('first') + stale)).toEqual({
    applied: false,
    output: expect.stringContaining('patch does not apply'),
  });
  expect(readdirSync(repo)).toEqual(['file']);
});

test.each(['nonsense\n', 'diff --git a/file b/file\n--- a/file\n+++ b/file\n@@ -1,9 +1 @@\n-old\n'])(
  'what is no patch is not applied: %j',
  async (patch) => {
    const { apply } = project();
    expect(await apply(patch)).toMatchObject({ applied: false });
  },
);

test.each([
  '../outside/x',
  '.git/hooks/pre-commit',
  'sub/.git/config',
  '.GIT/config',
  '/tmp/ssebench-escape',
  'a/../../outside/x',
])('a patch that writes to %s is refused', async (path) => {
  const { root, repo, apply } = project();
  expect(await apply(newFile('harmless') + newFile(path))).toMatchObject({ applied: false });
  expect(readdirSync(join(root, 'outside'))).toEqual([]);
  expect(readdirSync(repo)).toEqual(['file']);
});

test('a patch can not write through a link, be it there already or made by the patch itself', async () => {
  const { root, repo, apply } = project();
  symlinkSync('../outside', join(repo, 'there'));
  expect(await apply(newFile('there/x'))).toMatchObject({ applied: false });
  const link =
    'diff --git a/made b/made\nnew file mode 120000\n--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+../outside\n\\ No newline at end of file\n';
  expect(await apply(link + newFile('made/x'))).toMatchObject({ applied: false });
  expect(readdirSync(join(root, 'outside'))).toEqual([]);
});

test("the tree's attributes convert nothing, and a link's target is not written to", async () => {
  const { root, repo, apply } = project();
  writeFileSync(join(repo, '.gitattributes'), '* text eol=crlf ident\n');
  writeFileSync(join(repo, 'crlf'), 'one\r\ntwo\n$Id: x$\n');
  expect(
    await apply('diff --git a/crlf b/crlf\n--- a/crlf\n+++ b/crlf\n@@ -1,3 +1,3 @@\n one\r\n-two\n+2\r\n $Id: x$\n'),
  ).toEqual({
    applied: true,
  });
  expect(readFileSync(join(repo, 'crlf'), 'latin1')).toBe('one\r\n2\r\n$Id: x$\n');
  writeFileSync(join(root, 'outside/target'), 'old\n');
  symlinkSync('../outside/target', join(repo, 'link'));
  expect(await apply('diff --git a/link b/link\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-old\n+new\n')).toMatchObject({
    applied: false,
  });
  expect(readFileSync(join(root, 'outside/target'), 'utf8')).toBe('old\n');
});

test('set-id modes are not taken from a patch', async () => {
  const { repo, apply } = project();
  await apply(newFile('x').replace('100644', '104755'));
  const made = readdirSync(repo).includes('x') ? statSync(join(repo, 'x')).mode & 0o6000 : 0;
  expect(made).toBe(0);
});

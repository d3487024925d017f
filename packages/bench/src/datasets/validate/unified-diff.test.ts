import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { applyDiff } from './apply-diff.ts';
import { DiffError, parseDiff } from './unified-diff.ts';

type Tree = Readonly<Record<string, string>>;

const LINES = Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join('');

/** The diff that git makes of two trees. */
function gitDiff(before: Tree, after: Tree, ...options: string[]): string {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ssebench-diff-'));
  const git = (...args: string[]) =>
    spawnSync('git', args, {
      cwd: folder.path,
      encoding: 'latin1',
      env: { PATH: process.env['PATH'], HOME: folder.path },
    }).stdout;
  git('init', '-q');
  write(folder.path, before);
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'x');
  for (const path of Object.keys(before)) if (!(path in after)) spawnSync('rm', [join(folder.path, path)]);
  write(folder.path, after);
  git('add', '--all');
  return git('diff', '--cached', ...options);
}

/** What `git apply` makes of a tree; undefined when it refuses. */
function gitApply(tree: Tree, diff: string, paths: readonly string[]): (string | undefined)[] | undefined {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'ssebench-diff-'));
  write(folder.path, tree);
  const env = { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: dirname(folder.path) };
  const { status } = spawnSync('git', ['apply', '-p1', '-'], {
    cwd: folder.path,
    input: Buffer.from(diff, 'latin1'),
    env,
  });
  if (status !== 0) return undefined;
  return paths.map((path) => read(join(folder.path, path)));
}

function ours(tree: Tree, diff: string, paths: readonly string[]): (string | undefined)[] | undefined {
  try {
    const now = applyDiff(parseDiff(diff), (path) => tree[path]);
    return paths.map((path) => now(path));
  } catch (error) {
    if (error instanceof DiffError) return undefined;
    throw error;
  }
}

function write(root: string, tree: Tree): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, 'latin1');
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

const edited = LINES.replace('line 3\n', '').replace('line 20\n', 'twenty\nand more\n');

test.each<[string, Tree, Tree]>([
  ['changes in two places', { a: LINES }, { a: edited }],
  ['a new file and a removed one', { a: LINES, b: 'x\n' }, { a: LINES, 'c/d': 'new\n' }],
  ['a renamed file that changes', { a: LINES }, { 'b/c': edited }],
  ['a file without a last line end', { a: `${LINES}end`, b: LINES }, { a: LINES, b: `${LINES}end` }],
  ['DOS line ends', { a: LINES.replaceAll('\n', '\r\n') }, { a: edited.replaceAll('\n', '\r\n') }],
  ['names with spaces, quotes and other bytes', { 'a b/ü "c"': LINES }, { 'a b/ü "c"': edited, 'n ä': 'x\n' }],
  ['an empty file that is new', { a: 'x\n' }, { a: 'x\n', b: '' }],
  ['bytes that are no text of ours', { a: `${LINES}\xff\xfe\n` }, { a: `${edited}\xff\xfe\n` }],
])('%s are applied as git does', (_, before, after) => {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const diff = gitDiff(before, after);
  expect(ours(before, diff, paths)).toEqual(paths.map((path) => after[path]));
  expect(gitApply(before, diff, paths)).toEqual(paths.map((path) => after[path]));
});

test.each<[string, Tree]>([
  ['lines that came before', { a: `${'above\n'.repeat(7)}${LINES}` }],
  ['lines that went away before', { a: LINES.split('line 1\n')[1] ?? '' }],
  ['another context', { a: LINES.replace('line 21', 'other') }],
  ['a file that is not there', { b: LINES }],
  ['what the diff makes already', { a: edited }],
])('a diff meets %s as with git', (_, tree) => {
  const diff = gitDiff({ a: LINES }, { a: edited });
  expect(ours(tree, diff, ['a'])).toEqual(gitApply(tree, diff, ['a']));
});

test('a diff that begins at the first line applies nowhere else, as with git', () => {
  const diff = gitDiff({ a: 'one\ntwo\n' }, { a: 'one\n2\n' });
  for (const tree of [{ a: 'zero\none\ntwo\n' }, { a: 'one\ntwo\nthree\n' }, { a: 'one\ntwo\n' }]) {
    expect(ours(tree, diff, ['a'])).toEqual(gitApply(tree, diff, ['a']));
  }
});

test('a binary change is read, and its file is left alone', () => {
  const diff = gitDiff({ a: '\0one' }, { a: '\0two' }, '--binary');
  expect(parseDiff(diff)).toEqual([expect.objectContaining({ newPath: 'a', isBinary: true })]);
  expect(() => parseDiff(gitDiff({ a: '\0one' }, { a: '\0two' }))).toThrow('make the diff with --binary');
});

test.each([
  ['a hunk that leaves the source', '--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n', 1, '"../x" leaves the source'],
  ['a hunk without a file', '@@ -1 +1 @@\n-a\n+b\n', 1, 'a hunk of no file: no "diff --git" before it'],
  [
    'a hunk with more lines than it says',
    '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n',
    6,
    'the hunk before it has more lines than it says, found "+c"',
  ],
  [
    'a hunk with a foreign line',
    '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\nb\n',
    5,
    'found "b" within a hunk; lines begin with a space, + or -',
  ],
])('%s is refused with its line', (_, diff, line, message) => {
  expect(() => parseDiff(diff)).toThrow(expect.objectContaining({ line, message }));
});

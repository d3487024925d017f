import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { KeptFiles } from './kept-files.ts';

/** What stands at each path of a tree that is no directory. Links begin with `->`. */
type Tree = Record<string, string>;

function directories() {
  const root = mkdtempSync(join(tmpdir(), 'ssebench-kept-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [tree, store] = [join(root, 'tree'), join(root, 'store')] as const;
  for (const dir of [tree, store]) mkdirSync(dir);
  return { root, tree, store };
}

function write(dir: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    if (content.startsWith('->')) symlinkSync(content.slice(2), join(dir, path));
    else writeFileSync(join(dir, path), content);
  }
}

function read(dir: string, prefix = ''): Tree {
  const found: Tree = {};
  for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(dir, entry.name);
    const name = prefix + entry.name;
    if (entry.isDirectory()) Object.assign(found, { [`${name}/`]: '' }, read(path, `${name}/`));
    else found[name] = entry.isSymbolicLink() ? `->${readlinkSync(path)}` : readFileSync(path, 'utf8');
  }
  return found;
}

test('changed, deleted and replaced files come back with mode and time; added ones go with their directories', async () => {
  const { tree, store } = directories();
  write(tree, {
    'tests/run.sh': 'all',
    'tests/data': '->../data',
    Makefile: 'check:',
    'src/a.c': 'bug',
    'own/.keep': '',
  });
  chmodSync(join(tree, 'tests/run.sh'), 0o755);
  utimesSync(join(tree, 'tests/run.sh'), 1000, 1000);
  const before = read(tree);
  const paths = ['tests/run.sh', 'tests/data', 'Makefile', 'GNUmakefile', 'new/deep/x_test.go', 'own/x_test.go'];
  const kept = await KeptFiles.keep(tree, paths, store);
  expect(kept.paths).toEqual(paths);

  rmSync(join(tree, 'tests'), { recursive: true });
  rmSync(join(tree, 'Makefile'));
  write(tree, {
    'tests/run.sh': 'nothing',
    Makefile: '->/etc/passwd',
    GNUmakefile: 'check: ;',
    'new/deep/x_test.go': 'x',
    'own/x_test.go': 'x',
  });
  writeFileSync(join(tree, 'src/a.c'), 'fixed');
  await kept.putBack(tree);
  expect(read(tree)).toEqual({ ...before, 'src/a.c': 'fixed' });
  const { mode, mtimeMs } = lstatSync(join(tree, 'tests/run.sh'));
  expect([mode & 0o777, mtimeMs]).toEqual([0o755, 1_000_000]);
});

test('a directory that is there for other files stays', async () => {
  const { tree, store } = directories();
  const kept = await KeptFiles.keep(tree, ['new/go.mod'], store);
  write(tree, { 'new/go.mod': 'x', 'new/source.go': 'y' });
  await kept.putBack(tree);
  expect(read(tree)).toEqual({ 'new/': '', 'new/source.go': 'y' });
});

test('only the chosen paths come back', async () => {
  const { tree, store } = directories();
  write(tree, { a: '1', b: '1' });
  const kept = await KeptFiles.keep(tree, ['a', 'b', 'c'], store);
  write(tree, { a: '2', b: '2', c: '2' });
  await kept.putBack(tree, { paths: ['a', 'c', 'unknown'] });
  expect(read(tree)).toEqual({ a: '1', b: '2' });
});

test('a link that a patch puts on the way is not followed', async () => {
  const { root, tree, store } = directories();
  write(tree, { 'tests/x': 'own', 'tests/sub/y': 'own' });
  const kept = await KeptFiles.keep(tree, ['tests/x', 'tests/sub/y', 'tests/new', 'tests'], store);
  mkdirSync(join(root, 'outside'));
  write(join(root, 'outside'), { x: 'theirs', new: 'theirs', 'sub/y': 'theirs' });
  const outside = read(join(root, 'outside'));
  rmSync(join(tree, 'tests'), { recursive: true });
  symlinkSync('../outside', join(tree, 'tests'));
  await kept.putBack(tree);
  expect(read(tree)).toEqual({ 'tests/': '', 'tests/sub/': '', 'tests/sub/y': 'own', 'tests/x': 'own' });
  expect(read(join(root, 'outside'))).toEqual(outside);
});

test('a link that is there from the start is kept as a link, and nothing behind it is read or changed', async () => {
  const { root, tree, store } = directories();
  mkdirSync(join(root, 'outside'));
  write(join(root, 'outside'), { x: 'theirs' });
  write(tree, { there: '->../outside' });
  const kept = await KeptFiles.keep(tree, ['there/x', 'there/new'], store);
  await kept.putBack(tree);
  expect(read(tree)).toEqual({ there: '->../outside' });
  expect(read(join(root, 'outside'))).toEqual({ x: 'theirs' });
});

const segment = fc.constantFrom('a', 'b', 'c');
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const content = fc.constantFrom('one', 'two', '', '->a', '->..', '->b/c');

/** A tree without a path beneath another one's file. */
const anyTree = fc.dictionary(path, content, { maxKeys: 8 }).map((files) => {
  const paths = Object.keys(files);
  const blocked = (one: string) => paths.some((other) => one.startsWith(`${other}/`));
  return Object.fromEntries(Object.entries(files).filter(([one]) => !blocked(one)));
});

test('whatever a patch makes of a tree: with all that it touched put back, it is the tree that it was', async () => {
  await fc.assert(
    fc.asyncProperty(anyTree, anyTree, async (before, after) => {
      const { root, tree, store } = directories();
      write(tree, before);
      const original = read(tree);
      const touched = new Set([...Object.keys(before), ...Object.keys(after)]);
      const kept = await KeptFiles.keep(tree, touched, store);
      rmSync(tree, { recursive: true });
      mkdirSync(tree);
      write(tree, after);
      await kept.putBack(tree);
      expect(read(tree)).toEqual(original);
      rmSync(root, { recursive: true });
    }),
    { numRuns: 300 },
  );
});

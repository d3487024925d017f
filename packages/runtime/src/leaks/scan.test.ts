import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Passage } from '@ssebench/contracts/leaks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scanForLeaks } from './scan.ts';

const FIX = 'if (length < 0 || length > MAX_LENGTH) {\n\treport("length is out of bounds");\n\treturn ERROR_LENGTH;\n';
const PASSAGES: Passage[] = [
  {
    origin: 'patch',
    file: 'parse.c',
    lines: ['if (length < 0 || length > MAX_LENGTH) {', 'report("length is out of bounds");', 'return ERROR_LENGTH;'],
    needle: 'if (length < 0 || length > MAX_LENGTH) {',
  },
];

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ssebench-leaks-'));
});

afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@localhost', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd: join(root, 'repo'), encoding: 'utf8' });
}

async function found(without: string[] = []): Promise<string[]> {
  const { leaks } = await scanForLeaks({ passages: PASSAGES, without: without.map((path) => join(root, path)) }, root);
  return leaks.map(({ path, inside }) => `${path.slice(root.length + 1)}${inside === null ? '' : `: ${inside}`}`);
}

test('a copy is found whatever its indentation, and as a patch', async () => {
  put('usr/share/parse.c.new', `int parse()\n${FIX.replaceAll('\t', '        ')}}\n`);
  put('cache/fix.diff', FIX.replaceAll(/^/gm, '+'));
  put('src/parse.c', FIX.replace('report("length is out of bounds");\n', ''));
  expect((await found()).sort()).toEqual(['cache/fix.diff', 'usr/share/parse.c.new']);
  expect(await found(['cache', 'usr/share/parse.c.new'])).toEqual([]);
});

test('lines that are no ASCII are found, too', async () => {
  const line = 'report("Größe außerhalb – à la carte");';
  put('a.c', `\t${line}\n`);
  put('b.gz', gzipSync(`${line}\n`));
  const passages: Passage[] = [{ origin: 'patch', file: 'a.c', lines: [line], needle: line }];
  const { leaks } = await scanForLeaks({ passages, without: [] }, root);
  expect(leaks.map(({ path }) => path.slice(root.length + 1))).toEqual(['a.c', 'b.gz']);
});

test('compressed files and archives are looked into', async () => {
  put('a.gz', gzipSync(FIX));
  put('b.zst', zstdCompressSync(FIX));
  put('tree/parse.c', FIX);
  execFileSync('tar', ['-cJf', join(root, 'c.tar.xz'), '-C', join(root, 'tree'), '.']);
  execFileSync('tar', ['-cjf', join(root, 'd.tar.bz2'), '-C', join(root, 'tree'), '.']);
  mkdirSync(join(root, 'repo'));
  git('init', '-q');
  put('repo/parse.c', FIX);
  git('add', '--all');
  git('commit', '-q', '-m', 'one');
  git('archive', '--format=zip', '-o', join(root, 'e.jar'), 'HEAD');
  expect((await found(['tree', 'repo'])).sort()).toEqual(['a.gz', 'b.zst', 'c.tar.xz', 'd.tar.bz2', 'e.jar: parse.c']);
});

test('a passage at the seam of two pieces of a big archive is found', async () => {
  const piece = 8 * 1024 * 1024;
  put('big.gz', gzipSync(`${'x\n'.repeat(piece / 2 - 20)}${FIX}${'x\n'.repeat(1000)}`));
  expect(await found()).toEqual(['big.gz']);
});

test('every git object is looked at, loose or packed, reachable or not', async () => {
  mkdirSync(join(root, 'repo'));
  git('init', '-q');
  put('repo/parse.c', FIX);
  git('add', '--all');
  git('commit', '-q', '-m', 'the fix');
  const blob = git('rev-parse', 'HEAD:parse.c').trim();
  put('repo/parse.c', 'vulnerable\n');
  git('commit', '-q', '--all', '--amend', '-m', 'the bug');
  expect(await found()).toEqual([`repo/.git: git object ${blob}`]);
  git('repack', '-q', '-a', '-d', '--keep-unreachable');
  expect(await found()).toEqual([`repo/.git: git object ${blob}`]);
});

test('names that are no UTF-8 are looked into, too', async () => {
  mkdirSync(join(root, 'odd'));
  const odd = (name: string) =>
    Buffer.concat([Buffer.from(join(root, 'odd/')), Buffer.from([0xff, 0xfe]), Buffer.from(name)]);
  writeFileSync(odd('.c'), FIX);
  writeFileSync(odd('.gz'), gzipSync(FIX));
  writeFileSync(odd('.txt'), 'nothing');
  expect((await found()).map((path) => path.replace(/[^a-z./]/g, '?')).sort()).toEqual(['odd/??.c', 'odd/??.gz']);
});

test('a leak needs half of what there is of a file of the answer', async () => {
  put('some.c', FIX);
  const other = (lines: string[]): Passage => ({
    origin: 'patch',
    file: 'parse.c',
    lines,
    needle: lines[0] ?? '',
  });
  const passages = [
    ...PASSAGES,
    other(['another_line_that_is_missing();']),
    other(['a_third_line_that_is_missing();']),
  ];
  expect((await scanForLeaks({ passages, without: [] }, root)).leaks).toEqual([]);
  put('more.c', `${FIX}another_line_that_is_missing();\n`);
  expect((await scanForLeaks({ passages, without: [] }, root)).leaks).toMatchObject([{ found: 2, of: 3 }]);
});

test('what is broken is told, and the rest is searched', async () => {
  put('broken.gz', gzipSync(FIX.repeat(100)).subarray(0, 40));
  put('copy.c', FIX);
  const report = await scanForLeaks({ passages: PASSAGES, without: [] }, root);
  expect(report.leaks).toMatchObject([{ path: join(root, 'copy.c') }]);
  expect(report.unread).toMatchObject([{ path: join(root, 'broken.gz') }]);
});

test('what comes before the place where an archive is broken is searched', async () => {
  const whole = execFileSync('bzip2', { input: FIX });
  put('padded.bz2', Buffer.concat([whole, Buffer.from('\n')]));
  put('cut.bz2', Buffer.concat([whole, whole.subarray(0, -10)]));
  const { leaks, unread } = await scanForLeaks({ passages: PASSAGES, without: [] }, root);
  for (const places of [leaks, unread])
    expect(places.map(({ path }) => path).sort()).toEqual([join(root, 'cut.bz2'), join(root, 'padded.bz2')]);
});

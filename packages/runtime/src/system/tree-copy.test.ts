import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cutDeepTrees } from './cut-deep-trees.ts';
import { emptyDirectory, removeTree } from './remove-tree.ts';
import { copyTree } from './tree-copy.ts';

const isRoot = process.getuid?.() === 0;
const owner = isRoot ? { uid: 64002, gid: 64002 } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

function place() {
  const root = mkdtempSync(join(tmpdir(), 'ssebench-copy-test-'));
  onTestFinished(() => removeTree(root));
  const source = join(root, 'source');
  mkdirSync(source);
  return { root, source, target: join(root, 'target') };
}

/** A chain of directories deeper than a process may have files open. */
function veryDeep(directory: string, levels: number): void {
  const step =
    'for (1..$ARGV[1]) { mkdir "d" or die $!; chdir "d" or die $! } open(my $f, ">", "end") or die $!; chmod 0, "."';
  execFileSync('perl', ['-e', `chdir $ARGV[0] or die; ${step}`, directory, String(levels)]);
}

/** A chain of directories deeper than any path can name. */
function deep(directory: string): void {
  const step =
    'cd "$1"; i=0; while [ $i -lt 60 ]; do mkdir "$2" && cd -P "$2" || exit 1; i=$((i+1)); done; echo x > end';
  execFileSync('sh', ['-c', step, 'sh', directory, 'd'.repeat(120)]);
}

test('content, names, links, times and execute bits are kept; owner and other modes are ruled', async () => {
  const { source, target } = place();
  const odd = Buffer.from('\xff "\n', 'latin1');
  writeFileSync(Buffer.concat([Buffer.from(`${source}/`), odd]), Buffer.from([0, 255, 10]));
  writeFileSync(join(source, 'run'), '#!/bin/sh\n');
  chmodSync(join(source, 'run'), 0o4511);
  utimesSync(join(source, 'run'), 1000, 2000);
  mkdirSync(join(source, 'dir'));
  symlinkSync('/etc/passwd', join(source, 'dir/link'));
  chmodSync(join(source, 'dir'), 0o1577);
  const report = await copyTree(source, target, owner);
  expect(report).toEqual({ files: 2, bytes: 13, skipped: [] });
  expect(readdirSync(target, { encoding: 'buffer' })).toContainEqual(odd);
  const run = lstatSync(join(target, 'run'));
  expect({ mode: run.mode & 0o7777, at: run.mtimeMs, uid: run.uid, gid: run.gid }).toEqual({
    mode: 0o711,
    at: 2_000_000,
    ...owner,
  });
  expect(lstatSync(join(target, 'dir')).mode & 0o7777).toBe(0o777);
  expect(readlinkSync(join(target, 'dir/link'))).toBe('/etc/passwd');
  expect(lstatSync(join(target, 'dir/link')).uid).toBe(owner.uid);
});

test('special files, sparse giants and what is too deep are skipped and said', async () => {
  const { source, target } = place();
  execFileSync('/usr/bin/mkfifo', [join(source, 'pipe')]);
  writeFileSync(join(source, 'giant'), '');
  truncateSync(join(source, 'giant'), 2 ** 40);
  writeFileSync(join(source, 'small'), 'x');
  deep(source);
  mkdirSync(join(source, 'e/'.repeat(1100)), { recursive: true });
  const { skipped, files } = await copyTree(source, target, { ...owner, maxBytes: 1000 });
  expect(skipped).toEqual(
    expect.arrayContaining([
      { path: 'pipe', reason: 'special_file' },
      { path: 'giant', reason: 'too_large' },
      { path: Array(1001).fill('e').join('/'), reason: 'too_deep' },
    ]),
  );
  expect(files).toBe(2);
});

test('.git is left out at any depth when that is asked for', async () => {
  const { source, target } = place();
  for (const path of ['.git', 'sub/.git/objects']) mkdirSync(join(source, path), { recursive: true });
  writeFileSync(join(source, 'sub/.gitignore'), '');
  await copyTree(source, target, { ...owner, excludeGit: true });
  expect(readdirSync(target, { recursive: true })).toEqual(['sub', 'sub/.gitignore']);
});

test('holes stay holes, wherever they are, and all bytes are in their place', async () => {
  const { source, target } = place();
  const sparse = join(source, 'sparse');
  writeFileSync(sparse, 'start');
  truncateSync(sparse, 200 * 2 ** 20);
  appendFileSync(sparse, 'middle');
  truncateSync(sparse, 300 * 2 ** 20);
  writeFileSync(join(source, 'empty-looking'), Buffer.alloc(1000));
  const { bytes } = await copyTree(source, target, owner);
  expect(bytes).toBe(300 * 2 ** 20 + 1000);
  expect(readFileSync(join(target, 'sparse')).equals(readFileSync(sparse))).toBe(true);
  expect(lstatSync(join(target, 'sparse')).blocks * 512).toBeLessThan(2 ** 20);
});

test.runIf(isRoot)("a file of root's that the reader may not read is not copied for it", async () => {
  const { source, target } = place();
  writeFileSync(join(source, 'secret'), 'secret', { mode: 0o600 });
  writeFileSync(join(source, 'open'), 'open', { mode: 0o644 });
  const { skipped } = await copyTree(source, target, { ...owner, readableBy: { uid: 64001, gid: 64001 } });
  expect(skipped).toEqual([{ path: 'secret', reason: 'unreadable' }]);
  expect(readFileSync(join(target, 'open'), 'utf8')).toBe('open');
});

test('a source that is a link is refused, and a target that exists', async () => {
  const { root, source, target } = place();
  symlinkSync(source, join(root, 'link'));
  await expect(copyTree(join(root, 'link'), target, owner)).rejects.toThrow(/ELOOP|ENOTDIR/);
  await expect(copyTree(source, root, owner)).rejects.toThrow('EEXIST');
});

/** Calls a function of a module beside this one in a process that may have 2500 files open. */
function withFewFiles(module: string, call: string, ...args: readonly string[]): string {
  const program = `
    const it = await import(process.argv[1]);
    console.log(JSON.stringify(await it.${call} ?? null));
  `;
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const limited = ['-c', 'ulimit -n 2500; exec "$@"', 'sh', ...node, new URL(module, import.meta.url).href, ...args];
  return execFileSync('sh', limited, { encoding: 'utf8' }).trim();
}

test('a tree is removed that is deeper than a process may have files open', () => {
  const { root, source } = place();
  veryDeep(source, 4000);
  withFewFiles('./remove-tree.ts', 'removeTree(process.argv[2])', source);
  expect(readdirSync(root)).toEqual([]);
});

test('what is deeper than any path is cut, and nothing else', async () => {
  const { source } = place();
  veryDeep(source, 4000);
  deep(source);
  mkdirSync(join(source, 'shallow/inner'), { recursive: true });
  const cut = 'cutDeepTrees(process.argv.slice(2), 20_000)';
  expect(withFewFiles('./cut-deep-trees.ts', cut, join(source, 'none'), source)).toBe('1');
  const depth = execFileSync('sh', ['-c', 'find "$1" -type d -name d | wc -l', 'sh', source], { encoding: 'utf8' });
  expect(Number(depth)).toBe(2048);
  expect(execFileSync('sh', ['-c', 'find "$1" -name end | wc -l', 'sh', source], { encoding: 'utf8' }).trim()).toBe(
    '1',
  );
  expect(existsSync(join(source, 'shallow/inner'))).toBe(true);
  expect(await cutDeepTrees([source], 20_000)).toBe(0);
});

test('removing takes everything away, of any depth and mode, and follows no link', async () => {
  const { root, source } = place();
  mkdirSync(join(root, 'kept'));
  writeFileSync(join(root, 'kept/file'), '');
  symlinkSync('../kept', join(source, 'link'));
  deep(source);
  mkdirSync(join(source, 'closed/inner'), { recursive: true });
  chmodSync(join(source, 'closed'), 0);
  await removeTree(source);
  await removeTree(source);
  expect(existsSync(source)).toBe(false);
  expect(existsSync(join(root, 'kept/file'))).toBe(true);
  await emptyDirectory(root, new Set(['kept']));
  expect(readdirSync(root)).toEqual(['kept']);
});

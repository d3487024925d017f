import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archiveSource, type SourceArchiveOptions } from './source-archive.ts';

const root = process.getuid?.() === 0;
const SPARE_UID = 64_102;

let directory: string;
let source: string;
let results: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'archive-'));
  chmodSync(directory, 0o755);
  source = join(directory, 'source');
  results = join(directory, 'results');
  for (const made of [source, results]) mkdirSync(made);
  writeFileSync(join(source, 'a.c'), 'int a;\n');
});

afterEach(() => rmSync(directory, { recursive: true }));

function archive(options: Partial<SourceArchiveOptions> = {}) {
  return archiveSource({
    source,
    path: join(results, 'source.tar.gz'),
    account: { name: 'spare', uid: SPARE_UID, gid: SPARE_UID, home: '/', shell: '/bin/sh' },
    root,
    env: { PATH: '/usr/bin:/bin' },
    maxBytes: 1024 * 1024,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...options,
  });
}

function listing(): string[] {
  return execFileSync('tar', ['tzf', join(results, 'source.tar.gz')], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
    .sort();
}

test('files, directories and links are kept, under their own names, whatever these are', async () => {
  mkdirSync(join(source, 'src/.git'), { recursive: true });
  symlinkSync('/etc/passwd', join(source, 'link'));
  writeFileSync(join(source, '--checkpoint-action=exec=id'), '');
  const report = await archive();
  expect(report).toEqual({ status: 'written', bytes: expect.any(Number), detail: null });
  expect(listing()).toEqual(['./', './--checkpoint-action=exec=id', './a.c', './link', './src/', './src/.git/']);
});

test('pipes and the like are left out and hold nothing up', async () => {
  execFileSync('mkfifo', [join(source, 'pipe')]);
  expect(await archive()).toMatchObject({ status: 'written' });
  expect(listing()).toEqual(['./', './a.c']);
});

test('a file of a terabyte that is nothing but a hole takes neither time nor space', async () => {
  writeFileSync(join(source, 'giant'), 'x');
  truncateSync(join(source, 'giant'), 2 ** 40);
  expect(await archive()).toMatchObject({ status: 'written' });
  expect(listing()).toEqual(['./', './a.c', './giant']);
});

test.runIf(root)('the tree is read with no more rights than the agent has', async () => {
  writeFileSync(join(source, 'secret'), 'hidden tests', { mode: 0o600 });
  expect(await archive()).toMatchObject({ status: 'written', detail: expect.stringContaining('Permission denied') });
  expect(listing()).toEqual(['./', './a.c']);
});

test.for([
  ['too_large', { maxBytes: 10 }],
  ['timeout', { timeoutMs: 1 }],
  ['failed', { source: '/no/such/tree' }],
  ['failed', { signal: AbortSignal.abort() }],
] as const)('one that ends as %s leaves an earlier one as it was, and nothing beside it', async ([status, options]) => {
  writeFileSync(join(results, 'source.tar.gz'), 'earlier');
  expect(await archive(options)).toMatchObject({ status, bytes: 0, detail: expect.any(String) });
  expect(readdirSync(results)).toEqual(['source.tar.gz']);
});

test('results that can not be written are a failed archive, not an error', async () => {
  rmSync(results, { recursive: true });
  expect(await archive()).toMatchObject({ status: 'failed', detail: expect.stringContaining('ENOENT') });
  expect(existsSync(results)).toBe(false);
});

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packDirectory, packEntries, type TarEntry, TarRefused, unpackFile, unpackInto } from './tar.ts';

const LIMITS = { maxBytes: 10_000, maxFiles: 100 };
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ssebench-test-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

/** What `tar` itself says is in it: mode, owner, time, name. */
async function listing(tar: Readable): Promise<string[]> {
  const bytes = await buffer(tar);
  const output = execFileSync('tar', ['-tv', '--numeric-owner', '--full-time', '-f', '-'], {
    input: bytes,
    env: { TZ: 'UTC' },
  });
  return output.toString().trim().split('\n');
}

async function names(tar: Readable): Promise<string[]> {
  const output = execFileSync('tar', ['-t', '-f', '-'], { input: await buffer(tar) });
  return output.toString().trim().split('\n');
}

async function write(path: string, content: string | Buffer = path): Promise<void> {
  await mkdir(join(directory, path, '..'), { recursive: true });
  await writeFile(join(directory, path), content);
}

describe('packing', () => {
  test('is sorted, owned by root, without times, and keeps the execute bit and links', async () => {
    await write('b/run.sh');
    await chmod(join(directory, 'b/run.sh'), 0o700);
    await write('a.txt', 'abc');
    await chmod(join(directory, 'a.txt'), 0o600);
    await symlink('../a.txt', join(directory, 'b/link'));
    await symlink('/nowhere', join(directory, 'c'));
    expect((await listing(packDirectory(directory))).map((line) => line.replace(/\s+/g, ' '))).toEqual([
      '-rw-r--r-- 0/0 3 1970-01-01 00:00:00 a.txt',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00:00 b',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00:00 b/link -> ../a.txt',
      '-rwxr-xr-x 0/0 8 1970-01-01 00:00:00 b/run.sh',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00:00 c -> /nowhere',
    ]);
  });

  test('gives the same bytes for the same content', async () => {
    await write('x/one');
    await write('two', Buffer.alloc(600_000, 'z'));
    const first = await buffer(packDirectory(directory));
    await utimes(join(directory, 'two'), 1000, 1000);
    expect((await buffer(packDirectory(directory))).equals(first)).toBe(true);
  });

  test('honours .dockerignore, the rules of the caller after it, and rules that take files back in', async () => {
    for (const path of ['.dockerignore', 'keep', 'secret.key', 'out/a', 'out/keep.txt', 'deep/er/x.o', 'deep/er/x.c']) {
      await write(path, path === '.dockerignore' ? '# comment\n*.key\nout\n!out/keep.txt\n**/*.o\n' : path);
    }
    expect(await names(packDirectory(directory, { ignore: ['keep'] }))).toEqual([
      '.dockerignore',
      'deep',
      'deep/er',
      'deep/er/x.c',
      'out/keep.txt',
    ]);
  });

  test('puts extra entries in, in place of what has their name, ignored or not', async () => {
    await write('Dockerfile', 'theirs');
    await write('.dockerignore', 'ours.txt');
    const extra: TarEntry[] = [
      { name: 'Dockerfile', content: 'ours' },
      { name: 'ours.txt', mode: 0o600, size: 3, stream: () => Readable.from([Buffer.from('abc')]) },
    ];
    const pack = () => packDirectory(directory, { extra });
    expect(await names(pack())).toEqual(['.dockerignore', 'Dockerfile', 'ours.txt']);
    expect((await unpackFile(pack(), 'Dockerfile', LIMITS))?.toString()).toBe('ours');
    expect((await unpackFile(pack(), 'ours.txt', LIMITS))?.toString()).toBe('abc');
  });

  test('keeps names that are long, not ASCII or full of spaces', async () => {
    const path = `${'long-directory-name/'.repeat(15)}ü ö.txt`;
    await write(path, 'x');
    expect(await unpackFile(packDirectory(directory), path, LIMITS)).toEqual(Buffer.from('x'));
  });

  test('refuses what is neither file, directory nor link, and names it', async () => {
    const server = createServer().listen(join(directory, 'socket'));
    await once(server, 'listening');
    await expect(buffer(packDirectory(directory))).rejects.toThrow(/socket: neither a file/);
    server.close();
  });

  test('a stream that is shorter than it said, or fails, fails the tar', async () => {
    const entry = (stream: () => Readable): TarEntry[] => [{ name: 'x', size: 10, stream }];
    await expect(buffer(packEntries(entry(() => Readable.from([Buffer.from('abc')]))))).rejects.toThrow(/mismatch/i);
    const failing = async function* () {
      yield Buffer.from('abc');
      throw new Error('the disk is gone');
    };
    await expect(buffer(packEntries(entry(() => Readable.from(failing()))))).rejects.toThrow('the disk is gone');
  });

  test('a reader that leaves early closes the files', async () => {
    await write('big', Buffer.alloc(4_000_000));
    const tar = packDirectory(directory);
    for await (const _ of tar) break;
    expect(tar.destroyed).toBe(true);
    const openFiles = async () => {
      const names = await readdir('/proc/self/fd');
      const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
      return targets.filter((target) => target.startsWith(directory));
    };
    await expect.poll(openFiles).toEqual([]);
  });
});

describe('unpacking', () => {
  const into = () => join(directory, 'target');

  test('writes files and directories and says what it left out', async () => {
    const tar = packEntries([
      { name: 'top', directory: true, mode: 0o700 },
      { name: 'top/run', content: 'run', mode: 0o4755, uid: 12345 },
      { name: 'top/link', linkTo: '/etc/passwd' },
      { name: 'top/a/b', content: 'b', mode: 0o400 },
    ]);
    const done = await unpackInto(into(), tar, { ...LIMITS, strip: 1 });
    expect(done).toEqual({ files: 2, bytes: 4, skipped: ['top/link'] });
    expect((await readdir(into(), { recursive: true })).sort()).toEqual(['a', 'a/b', 'run']);
    expect((await stat(join(into(), 'run'))).mode & 0o7777).toBe(0o755);
    expect((await stat(join(into(), 'a/b'))).mode & 0o7777).toBe(0o644);
    expect(await readFile(join(into(), 'a/b'), 'utf8')).toBe('b');
  });

  test.for(['/etc/x', '../x', 'a/../../x', 'a/../b'])('refuses the name %s', async (name) => {
    const tar = packEntries([{ name, content: 'x' }]);
    await expect(unpackInto(into(), tar, LIMITS)).rejects.toThrow(TarRefused);
  });

  test('a link, then a file through it, ends in a plain directory', async () => {
    const tar = packEntries([
      { name: 'd', linkTo: '/tmp' },
      { name: 'd/x', content: 'x' },
    ]);
    expect((await unpackInto(into(), tar, LIMITS)).skipped).toEqual(['d']);
    expect((await stat(join(into(), 'd'))).isDirectory()).toBe(true);
  });

  test('never writes over a file that exists, be it a link', async () => {
    await write('victim', 'safe');
    await mkdir(into());
    await symlink('../victim', join(into(), 'x'));
    const tar = packEntries([{ name: 'x', content: 'evil' }]);
    expect(await unpackInto(into(), tar, LIMITS)).toEqual({ files: 0, bytes: 0, skipped: ['x'] });
    expect(await readFile(join(directory, 'victim'), 'utf8')).toBe('safe');
  });

  test('names that can not be had are left out, and what follows is not', async () => {
    const long = `${'d'.repeat(200)}/`.repeat(30);
    const tar = packEntries([
      { name: `${long}x`, content: 'x' },
      { name: long, directory: true },
      { name: 'a', content: 'a' },
      { name: 'a/b', content: 'b' },
      { name: 'a', directory: true },
      { name: 'last', content: 'last' },
    ]);
    const { files, skipped } = await unpackInto(into(), tar, LIMITS);
    expect({ files, skipped: skipped.map((name) => name.slice(0, 3)) }).toEqual({
      files: 2,
      skipped: ['ddd', 'ddd', 'a/b', 'a'],
    });
    expect(await readFile(join(into(), 'last'), 'utf8')).toBe('last');
  });

  test('stops at its limits of bytes and of files', async () => {
    const two = () =>
      packEntries([
        { name: 'a', content: 'aaaa' },
        { name: 'b', content: 'bbbb' },
      ]);
    await expect(unpackInto(into(), two(), { maxBytes: 7, maxFiles: 9 })).rejects.toThrow('more than 7 bytes');
    await rm(into(), { recursive: true });
    await expect(unpackInto(into(), two(), { maxBytes: 99, maxFiles: 1 })).rejects.toThrow('more than 1 files');
    await expect(unpackFile(two(), 'b', { maxBytes: 3 })).rejects.toThrow('over 3 bytes');
  });

  test('a tar that is cut off is an error, a file that is not there undefined', async () => {
    const whole = await buffer(packEntries([{ name: 'a', content: 'a'.repeat(3000) }]));
    await expect(unpackInto(into(), Readable.from([whole.subarray(0, 1500)]), LIMITS)).rejects.toThrow(
      /unexpected end/i,
    );
    expect(await unpackFile(Readable.from([whole]), 'b', LIMITS)).toBeUndefined();
  });
});

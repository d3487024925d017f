import { execFileSync, spawn } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renameEntries, tarName } from './tar-rename.ts';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'ssebench-tar-rename-'));
  const write = (name: string | Buffer, content: string) =>
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/app/`), Buffer.from(name)]), content);
  mkdirSync(join(directory, 'app', 'deep/'.repeat(50)), { recursive: true });
  write('first', 'x'.repeat(2000));
  write('empty', '');
  write('two\nlines "é"', 'odd');
  write(Buffer.from('\xff\xfe', 'latin1'), 'no UTF-8');
  write(Buffer.from(`\xff${'n'.repeat(120)}`, 'latin1'), 'long and no UTF-8');
  write(`${'deep/'.repeat(50)}last`, 'deep');
  symlinkSync(`first${'/..'.repeat(50)}`, join(directory, 'app/link'));
  linkSync(join(directory, 'app/first'), join(directory, 'app/same'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Every entry as `find` sees it: bytes, one character each. */
function listing(root: string): string[] {
  const args = [
    '.',
    '-mindepth',
    '1',
    '-printf',
    '%p|%y|%l|%m|%n|',
    '(',
    '-type',
    'd',
    '-o',
    '-printf',
    '%s',
    ')',
    '-printf',
    '\\0',
  ];
  return execFileSync('find', args, { cwd: root, encoding: 'latin1' }).split('\0').sort();
}

describe.each(['pax', 'gnu', 'posix', 'ustar'])('a tar in the format %s', (format) => {
  const pack = () => {
    const more = format === 'ustar' ? ['--exclude', 'deep', '--exclude', '?nnn*', '--exclude', 'link'] : [];
    return spawn('tar', ['-c', `--format=${format}`, '-C', directory, ...more, 'app']).stdout;
  };

  test('unpacks to the same files below another name, root owning them', async () => {
    const target = mkdtempSync(join(directory, 'target-'));
    const tar = renameEntries(pack(), {
      name: (name) => `new${name.slice('app'.length)}`,
      mode: (name) => (name === 'new/' ? 0o700 : undefined),
    });
    const bytes = await buffer(tar);
    execFileSync('tar', ['-x', '-p', '-C', target], { input: bytes });
    const wanted = mkdtempSync(join(directory, 'wanted-'));
    execFileSync('tar', ['-x', '-p', '-C', wanted], { input: await buffer(pack()) });
    expect(listing(join(target, 'new'))).toEqual(listing(join(wanted, 'app')));
    expect(execFileSync('stat', ['-c', '%a', join(target, 'new')], { encoding: 'utf8' })).toBe('700\n');
    const owners = execFileSync('tar', ['-tv', '--numeric-owner'], { input: bytes, encoding: 'latin1' });
    for (const line of owners.trim().split('\n')) expect(line).toMatch(/^\S+ +0\/0 /);
  });

  test('cut off anywhere it fails', async () => {
    const bytes = await buffer(pack());
    for (const size of [0, 100, 512, 1000, 2000]) {
      const tar = renameEntries(Readable.from([bytes.subarray(0, size)]), { name: (name) => name });
      await expect(buffer(tar), `${size} bytes`).rejects.toThrow('cut off');
    }
  });
});

test('directories come before everything else', async () => {
  const tar = renameEntries(spawn('tar', ['-c', '-C', directory, 'app/empty']).stdout, {
    name: () => tarName('gr\u00f6\u00dfe/x'),
    first: [{ name: tarName('gr\u00f6\u00dfe'), mode: 0o755 }],
  });
  const input = await buffer(tar);
  const output = execFileSync('tar', ['-tv', '--numeric-owner', '--quoting-style=literal'], {
    input,
    encoding: 'utf8',
  });
  expect(
    output
      .replace(/ +/g, ' ')
      .split('\n')
      .map((line) => line.split(' ').toSpliced(3, 2).join(' ')),
  ).toEqual(['drwxr-xr-x 0/0 0 größe', '-rw-r--r-- 0/0 0 größe/x', '']);
});

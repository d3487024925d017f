import { chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeArchive, giveBack, giveToAgent } from './archive-owner.ts';

const AGENT = { uid: 64_103, gid: 64_103 };
const HOST = { uid: 64_104, gid: 64_105 };

describe.runIf(process.getuid?.() === 0)("the archive's owner", () => {
  let directory: string;
  let archive: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'owner-'));
    archive = join(directory, 'archive');
    mkdirSync(archive);
    chownSync(archive, HOST.uid, HOST.gid);
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  test('is the agent while it works, for the directory itself, and who it was is told', () => {
    writeFileSync(join(archive, 'earlier'), '');
    expect(giveToAgent(archive, AGENT)).toEqual(HOST);
    expect(statSync(archive)).toMatchObject({ ...AGENT, mode: 0o40755 });
    expect(statSync(join(archive, 'earlier'))).toMatchObject({ uid: 0 });
  });

  test('may come in alone while it is closed', () => {
    giveToAgent(archive, AGENT);
    giveBack(archive, HOST);
    const reopen = closeArchive(archive);
    expect(statSync(archive)).toMatchObject({ ...HOST, mode: 0o40700 });
    reopen();
    expect(statSync(archive)).toMatchObject({ ...HOST, mode: 0o40755 });
  });

  test('a link in its place is refused', () => {
    symlinkSync(archive, join(directory, 'link'));
    expect(() => giveToAgent(join(directory, 'link'), AGENT)).toThrow(/ELOOP|ENOTDIR/);
    expect(statSync(archive)).toMatchObject(HOST);
  });

  test('is the host again afterwards, for everything in it, and no link is followed', () => {
    const outside = join(directory, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), '');
    mkdirSync(join(archive, 'deep/er'), { recursive: true });
    writeFileSync(join(archive, 'deep/er/dialog.jsonl'), '');
    symlinkSync(outside, join(archive, 'deep/link'));
    writeFileSync(Buffer.concat([Buffer.from(`${archive}/`), Buffer.from([0xff, 0x0a])]), '');

    expect(giveBack(archive, HOST)).toBe(0);

    for (const path of ['', 'deep', 'deep/er', 'deep/er/dialog.jsonl', 'deep/link']) {
      expect(lstatSync(join(archive, path))).toMatchObject(HOST);
    }
    expect(lstatSync(Buffer.concat([Buffer.from(`${archive}/`), Buffer.from([0xff, 0x0a])]))).toMatchObject(HOST);
    for (const path of ['', 'file']) expect(lstatSync(join(outside, path))).toMatchObject({ uid: 0, gid: 0 });
  });

  test('what lies too deep is left, and counted', () => {
    mkdirSync(join(archive, 'd/'.repeat(140)), { recursive: true });
    expect(giveBack(archive, HOST)).toBe(1);
  });
});

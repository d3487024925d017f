import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Leak, LeakQuery, LeakReport } from '@ssebench/contracts/leaks';
import { runCommand } from '../system/run-command.ts';
import { archiveKind, openArchive } from './archives.ts';
import { gitDirectories, gitTexts } from './git-objects.ts';
import { PassageSearch } from './passages.ts';
import { type FoundFile, filesBelow } from './walk.ts';

/** Texts beyond this are not sources. Bytes. */
export const TEXT_LIMIT = 64 * 1024 * 1024;
const MAX_UNREAD = 100;
const GREP_LIMIT = 10 * 60 * 1000;

/**
 * Searches everything that a container's processes can see from its root directory for passages of a task's answers: plain
 * files, what is in archives and compressed files (one level deep), and every object of every git repository, reachable
 * or not. The image's own `grep` does the first, coarse search of plain files: an image with a false one lies only to its author.
 */
export async function scanForLeaks({ passages, without }: LeakQuery, root = '/'): Promise<LeakReport> {
  const search = new PassageSearch(passages);
  const files = filesBelow(root, without);
  const report: LeakReport = {
    leaks: [],
    scanned: { files: files.length, bytes: 0, archives: 0, git_objects: 0 },
    unread: [],
  };
  for (const { size } of files) report.scanned.bytes += size;
  const add = (path: string, inside: string | null, text: string) => {
    for (const leak of search.leaksIn(text)) report.leaks.push({ ...leak, path, inside });
  };
  const giveUp = (path: string, reason: unknown) => {
    if (report.unread.length < MAX_UNREAD) report.unread.push({ path, reason: String(reason) });
  };
  const plain = await filesWithAny(
    files,
    passages.map(({ needle }) => needle),
  );
  for (const path of plain) {
    try {
      add(path.toString(), null, await readFile(path, 'latin1'));
    } catch (error) {
      giveUp(path.toString(), error);
    }
  }
  for (const { path, size } of files) {
    const name = path.toString();
    let file: number | undefined;
    try {
      file = openSync(path, 'r');
      const bytes = Buffer.alloc(Math.min(8, size));
      const kind = archiveKind(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)));
      if (kind === undefined) continue;
      report.scanned.archives += 1;
      for await (const entry of openArchive(file, kind)) add(name, entry.name, entry.text);
    } catch (error) {
      giveUp(name, error);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
  for (const directory of gitDirectories(files)) {
    try {
      for await (const { name, text } of gitTexts(directory)) {
        report.scanned.git_objects += 1;
        add(directory, name, text);
      }
    } catch (error) {
      giveUp(directory, error);
    }
  }
  return { ...report, leaks: distinct(report.leaks) };
}

async function filesWithAny(files: readonly FoundFile[], texts: readonly string[]): Promise<Buffer[]> {
  if (texts.length === 0 || files.length === 0) return [];
  const patterns = [...new Set(texts)].flatMap((text) => ['-e', text]);
  const zero = Buffer.alloc(1);
  const { code, notStarted, stdout } = await runCommand({
    argv: ['/usr/bin/xargs', '-0', '/usr/bin/grep', '-laFZs', ...patterns, '--'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdin: Buffer.concat(files.flatMap(({ path }) => [path, zero])),
    timeoutMs: GREP_LIMIT,
    capBytes: 64 * 1024 * 1024,
  });
  // 123: some grep found nothing, or could not read a file.
  if (notStarted || (code !== 0 && code !== 123)) throw new Error(`grep ended with ${notStarted?.code ?? code}`);
  const names = stdout.toBuffer().toString('latin1').split('\0');
  return names.filter(Boolean).map((name) => Buffer.from(name, 'latin1'));
}

function distinct(leaks: readonly Leak[]): Leak[] {
  return [...new Map(leaks.map((leak) => [JSON.stringify(leak), leak])).values()];
}

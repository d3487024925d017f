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
/** Arguments of one `grep`. */
const BATCH = 1000;
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
    files.map(({ path }) => path),
    [...new Set(passages.map(({ needle }) => needle))],
  );
  for (const path of plain) {
    try {
      add(path, null, await readFile(path, 'latin1'));
    } catch (error) {
      giveUp(path, error);
    }
  }
  for (const file of files) {
    const kind = archiveKind(firstBytes(file));
    if (kind === undefined) continue;
    report.scanned.archives += 1;
    try {
      for await (const { name, text } of openArchive(file.path, kind)) add(file.path, name, text);
    } catch (error) {
      giveUp(file.path, error);
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

async function filesWithAny(paths: readonly string[], texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return [];
  const found: string[] = [];
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths.slice(at, at + BATCH);
    const { code, notStarted, stdout } = await runCommand({
      argv: ['/usr/bin/grep', '-laFZs', ...texts.flatMap((text) => ['-e', text]), '--', ...batch],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeoutMs: GREP_LIMIT,
      capBytes: 16 * 1024 * 1024,
    });
    // 1: none; 2: one of them could not be read.
    if (notStarted || code === null || code > 2) throw new Error(`grep ended with ${notStarted?.code ?? code}`);
    found.push(...stdout.toText().split('\0').filter(Boolean));
  }
  return found;
}

function firstBytes({ path, size }: FoundFile): Buffer {
  const bytes = Buffer.alloc(Math.min(8, size));
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    return bytes.subarray(0, readSync(file, bytes));
  } catch {
    // What root can't read in its own container, nobody can; grep has passed over it, too.
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function distinct(leaks: readonly Leak[]): Leak[] {
  return [...new Map(leaks.map((leak) => [JSON.stringify(leak), leak])).values()];
}

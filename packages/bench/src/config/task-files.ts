import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { UserError } from '../cli/errors.ts';
import { showPath } from './show-path.ts';

/**
 * SHA-256 (lowercase hex) of every file of a folder, by POSIX path, hidden ones included, in code point order.
 * A link counts as the file that it leads to when that lies in the folder too; other links and special files don't count.
 * Source: spec/host §3.1.
 * @throws UserError for what can't be read and for names that are not UTF-8
 */
export function hashFiles(folder: string): Record<string, string> {
  const paths = walk(realpathSync(folder), '').sort(byCodePoint);
  return Object.fromEntries(paths.map((path) => [path, hashOf(join(folder, path))]));
}

/**
 * The `files_digest` of a task: SHA-256 of its `files` map as compact JSON with sorted keys, everything but printable
 * ASCII escaped. Source: spec/host §3.1.
 */
export function digestOfFiles(files: Readonly<Record<string, string>>): string {
  // Keys that look like integers come first in a JavaScript object, so the text is put together by hand.
  const pairs = Object.entries(files)
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([path, hash]) => `${asciiJson(path)}:${asciiJson(hash)}`);
  return createHash('sha256')
    .update(`{${pairs.join(',')}}`)
    .digest('hex');
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function walk(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (path.includes('\ufffd')) throw new UserError(`${showPath(join(root, path))}: its name is not UTF-8`);
    if (entry.isDirectory()) return walk(root, path);
    return entry.isFile() || (entry.isSymbolicLink() && leadsToFileIn(root, path)) ? [path] : [];
  });
}

function leadsToFileIn(root: string, path: string): boolean {
  try {
    const target = realpathSync(join(root, path));
    return target.startsWith(root + sep) && statSync(target).isFile();
  } catch {
    return false;
  }
}

function hashOf(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch (cause) {
    throw new UserError(`${showPath(path)}: can't be read: ${(cause as Error).message}`, 1, { cause });
  }
}

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** Enough for any lines that a person reads; bytes. */
const WINDOW = 64 * 1024;
const LONGEST_LINE = 400;

/**
 * The last lines of a regular file, the empty ones at its end left out; undefined when it can't be read. Links are not followed.
 * @param most how many bytes of it are looked at
 */
export function logTail(path: string, lines: number, most = WINDOW): string[] | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Logs are for people: one that is gone is told as such.
    return undefined;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return undefined;
    const window = Buffer.alloc(Math.min(most, stat.size));
    const read = readSync(file, window, 0, window.length, stat.size - window.length);
    return window.toString('utf8', 0, read).trimEnd().split('\n').slice(-lines).map(printable);
  } finally {
    closeSync(file);
  }
}

/** Without control characters, so that a log can't steer the terminal. */
function printable(line: string): string {
  const clean = stripVTControlCharacters(line).replace(/(?!\t)\p{Cc}/gu, '\u{fffd}');
  return clean.length > LONGEST_LINE ? `${clean.slice(0, LONGEST_LINE)}…` : clean;
}

import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Longest log that is shown whole, and longest end of a longer one. Words: source is spec/runtime §9.2; bytes are ours. */
const MAX_WORDS = 10_000;
const MAX_BYTES = 128 * 1024;
const TAIL_LINES = 100;

/**
 * The section with the log of the check called `name`. One that is too long is written to a file in `dir`, and its end is
 * shown. A file that can't be written is no error: the section says so, and `onProblem` why. Source: spec/runtime §9.2.
 */
export function logSection(name: string, log: string, dir: string, onProblem: (error: unknown) => void): string {
  if (log.trim() === '') return `Full log (${name}):\nNo log available`;
  const words = log.split(/\s+/).filter((word) => word !== '');
  if (words.length <= MAX_WORDS && Buffer.byteLength(log) <= MAX_BYTES) return `Full log (${name}):\n${log}`;
  return `Truncated log (${name}):\n${tailOf(log, words)}\n\n${saved(log, dir, onProblem)}`;
}

/** The last lines or the last words, whichever is shorter. */
function tailOf(log: string, words: readonly string[]): string {
  const lines = log.split('\n').slice(-TAIL_LINES).join('\n');
  const last = words.slice(-MAX_WORDS).join(' ');
  return lastBytes(last.length < lines.length ? last : lines);
}

function lastBytes(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES) return text;
  let start = bytes.length - MAX_BYTES;
  // Not within a character.
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}

function saved(log: string, dir: string, onProblem: (error: unknown) => void): string {
  const path = join(dir, `${randomUUID()}.txt`);
  try {
    makeDirectory(dirname(dir));
    makeDirectory(dir);
    writeFileSync(path, log, { flag: 'wx', mode: 0o644 });
    return `Full log available at ${path}`;
  } catch (error) {
    onProblem(error);
    return '(Full log could not be saved due to an internal error)';
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, 0o755);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

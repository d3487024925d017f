import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** What is taken in at a time, of one file. Bytes. */
const CHUNK_BYTES = 16 * 1024 * 1024;

export interface SessionLine {
  /** Relative to the directory. */
  readonly file: string;
  readonly line: string;
}

/** What a program itself writes about its session as it goes: files of JSON lines (`*.jsonl`), anywhere below a directory. */
export class SessionFiles {
  readonly #directory: string;
  /** Up to where each was read. */
  readonly #read = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The whole lines that were written since the last time, those of a file in order; none while there is no directory. */
  read(): SessionLine[] {
    return this.#files().flatMap((file) => this.#linesOf(file));
  }

  #files(): string[] {
    try {
      return readdirSync(this.#directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  #linesOf(file: string): SessionLine[] {
    const lines: SessionLine[] = [];
    for (;;) {
      const from = this.#read.get(file) ?? 0;
      const added = readFrom(join(this.#directory, file), from);
      // A line that is longer than what is taken in at a time is given up, in pieces that are no JSON.
      const end = added.length === CHUNK_BYTES && !added.includes(0x0a) ? added.length : added.lastIndexOf(0x0a) + 1;
      if (end === 0) return lines;
      this.#read.set(file, from + end);
      const texts = added.toString('utf8', 0, end).split('\n');
      lines.push(...texts.filter((line) => line !== '').map((line) => ({ file, line })));
    }
  }
}

/** Nothing of what is no file, and of one that is gone again or can't be read: its neighbours are read all the same. */
function readFrom(path: string, from: number): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    const bytes = Buffer.alloc(stats.isFile() ? Math.min(CHUNK_BYTES, Math.max(0, stats.size - from)) : 0);
    return bytes.length === 0 ? bytes : bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return Buffer.alloc(0);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

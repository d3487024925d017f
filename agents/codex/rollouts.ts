import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** A line of a rollout, and which file it is from. */
export interface RolloutLine {
  readonly file: string;
  readonly line: string;
}

/** Codex's own record of its threads, as it grows: a file of JSON lines for each, below a directory. */
export class Rollouts {
  readonly #directory: string;
  /** Up to where each was read. */
  readonly #read = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The whole lines that were written since the last time, those of a file in order; none while there is no directory. */
  read(): RolloutLine[] {
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

  #linesOf(file: string): RolloutLine[] {
    const from = this.#read.get(file) ?? 0;
    const added = readFrom(join(this.#directory, file), from);
    const whole = added.subarray(0, added.lastIndexOf(0x0a) + 1);
    this.#read.set(file, from + whole.length);
    return whole
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({ file, line }));
  }
}

function readFrom(path: string, from: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
  } finally {
    closeSync(fd);
  }
}

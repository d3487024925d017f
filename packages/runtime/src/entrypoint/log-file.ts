import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { log } from './log.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** Opens a log for appending, made 0644 where it is missing; a link in its place is refused. Returns the descriptor. */
export function openLog(path: string): number {
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o644);
}

/** The last lines of a log, at most `count`; of a very long line only its end. Empty for a log that can't be read. */
export function lastLines(path: string, count: number): string[] {
  try {
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW);
    try {
      const { size } = fstatSync(fd);
      const buffer = Buffer.alloc(Math.min(size, 64 * 1024));
      const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8', 0, read).trimEnd().split('\n').slice(-count);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    log('WARN', 'A log could not be read', { path, error: String(error) });
    return [];
  }
}

/**
 * Appends raw bytes to a log up to a cap. What comes after is counted and dropped, and `close` notes how much that was.
 * A disk that takes no more bytes counts like the cap: writing a log never fails.
 */
export class CappedLog {
  readonly #fd: number;
  #left: number;
  #dropped = 0;
  #closed = false;

  constructor(path: string, capBytes: number) {
    this.#fd = openLog(path);
    this.#left = capBytes;
  }

  write(bytes: Uint8Array): void {
    if (this.#closed) return;
    const kept = bytes.subarray(0, this.#left);
    this.#dropped += bytes.length - kept.length;
    this.#left -= kept.length;
    this.#append(kept);
  }

  close(): void {
    if (this.#closed) return;
    if (this.#dropped > 0) this.#append(Buffer.from(`\n[… ${this.#dropped} more bytes were not kept …]\n`));
    this.#closed = true;
    closeSync(this.#fd);
  }

  #append(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      log('WARN', 'A log could not be written', { error: String(error) });
      this.#dropped += bytes.length;
      this.#left = 0;
    }
  }
}

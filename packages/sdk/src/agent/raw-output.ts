import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** What one output may leave in the archive. Bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A file that keeps what a program writes, as it is, up to a limit. What can't be kept is counted, and nobody stops for it. */
export class RawOutput {
  readonly #path: string;
  #fd: number | undefined;
  #kept = 0;
  #lost = 0;

  constructor(path: string) {
    this.#path = path;
    this.#guarded(() => {
      mkdirSync(dirname(path), { recursive: true });
      const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
      this.#fd = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0o644);
    });
  }

  write(chunk: Buffer): void {
    const fd = this.#fd;
    const part = fd === undefined ? Buffer.alloc(0) : chunk.subarray(0, MAX_BYTES - this.#kept);
    this.#lost += chunk.length - part.length;
    this.#guarded(() => {
      for (let at = 0; fd !== undefined && at < part.length; ) {
        const written = writeSync(fd, part, at);
        at += written;
        this.#kept += written;
      }
    });
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#lost > 0) process.stderr.write(`${this.#path}: ${this.#lost} more bytes were not kept\n`);
  }

  /** A full disk, or an archive that is not there, ends the keeping and is told once. */
  #guarded(part: () => void): void {
    try {
      part();
    } catch (error) {
      process.stderr.write(`${this.#path}: no longer kept: ${(error as Error).message}\n`);
      if (this.#fd !== undefined) closeSync(this.#fd);
      this.#fd = undefined;
    }
  }
}

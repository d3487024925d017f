import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Writable } from 'node:stream';

/** More patch than may be. */
export class PatchTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`the patch is larger than ${maxBytes} bytes`);
    this.name = 'PatchTooLargeError';
  }
}

/** A new file that takes a patch: counts and hashes what it is given, and refuses to grow past `maxBytes`. */
export class PatchFile extends Writable {
  bytes = 0;
  readonly #maxBytes: number;
  readonly #hash = createHash('sha256');
  readonly #file: FileHandle;

  private constructor(file: FileHandle, maxBytes: number) {
    super();
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** @throws EEXIST when something is there */
  static async create(path: string, maxBytes: number): Promise<PatchFile> {
    return new PatchFile(await open(path, 'wx', 0o600), maxBytes);
  }

  /** The content's SHA-256 in hex. Once, after the end. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.bytes += chunk.length;
    if (this.bytes > this.#maxBytes) {
      done(new PatchTooLargeError(this.#maxBytes));
      return;
    }
    this.#hash.update(chunk);
    this.#file.writeFile(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#file.sync().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#file.close().then(
      () => done(error),
      (closing: Error) => done(error ?? closing),
    );
  }
}

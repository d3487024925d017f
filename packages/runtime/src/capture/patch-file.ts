import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** Between two looks at how large the file is while somebody writes it. Milliseconds. */
const LOOK_INTERVAL = 50;
/** What is read of it at a time, into one buffer: a patch may be large, and our memory does not grow with it. */
const READ_BYTES = 256 * 1024;

/** More patch than may be. */
export class PatchTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`the patch is larger than ${maxBytes} bytes`);
    this.name = 'PatchTooLargeError';
  }
}

/** A new file that a command writes a patch to by itself, for as long as it is not larger than it may be. */
export class PatchFile implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  readonly #tooLarge = new AbortController();
  readonly #watch: NodeJS.Timeout;

  private constructor(file: FileHandle, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#watch = setInterval(() => void this.#look().catch(() => undefined), LOOK_INTERVAL);
    this.#watch.unref();
  }

  /** @throws EEXIST when something is there */
  static async create(path: string, maxBytes: number): Promise<PatchFile> {
    return new PatchFile(await open(path, 'wx+', 0o600), maxBytes);
  }

  /** For the command's standard output. */
  get fd(): number {
    return this.#file.fd;
  }

  /** Fires when it has grown too large. */
  get tooLarge(): AbortSignal {
    return this.#tooLarge.signal;
  }

  /**
   * Flushes it when the command has ended. @returns its size, and its SHA-256 in hex
   * @throws PatchTooLargeError
   */
  async finish(): Promise<{ bytes: number; digest: string }> {
    const size = await this.#look();
    if (size > this.#maxBytes) throw new PatchTooLargeError(this.#maxBytes);
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await this.#file.read(buffer, 0, READ_BYTES, bytes);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    await this.#file.sync();
    return { bytes, digest: hash.digest('hex') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    await this.#file.close();
  }

  async #look(): Promise<number> {
    const { size } = await this.#file.stat();
    if (size > this.#maxBytes) this.#tooLarge.abort();
    return size;
  }
}

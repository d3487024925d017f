import { constants, ftruncateSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { RecordedLine, RecordingState } from '@ssebench/contracts/model-calls';
import { compress, HEAD_BYTES, writeHead } from './frames.ts';
import { walkFrames } from './walk.ts';

/** A recording grows no larger. Bytes. */
const MAX_BYTES = 1024 ** 3;
/** Lines of one frame, together, unless a single one is longer. Characters. */
const FRAME_TEXT = 4 * 1024 * 1024;
/** When more than this waits to be written, whoever can wait does. Characters. */
const MUCH = 8 * 1024 * 1024;

interface Pending {
  readonly text: string;
  /** It ends an exchange. */
  readonly ends: boolean;
  readonly done: () => void;
}

/**
 * The file of a run's exchanges, which only grows. Lines that come in one turn of the event loop are written together, in a
 * frame of their own: what is written outlives this process's death at any moment. What can't be written is told in
 * `state` and is nobody's trouble; as soon as there is room again the file goes on.
 */
export class RecordingFile {
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  #bytes: number;
  #exchanges: number;
  #lastNumber: number;
  #lost = 0;
  #problem: string | null = null;
  #pending: Pending[] = [];
  #waiting = 0;
  #writing: Promise<void> | undefined;

  private constructor(
    file: FileHandle,
    found: { bytes: number; exchanges: number; lastNumber: number },
    maxBytes: number,
  ) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#bytes = found.bytes;
    this.#exchanges = found.exchanges;
    this.#lastNumber = found.lastNumber;
  }

  /** Makes the file, or goes on with it after its last whole frame. @throws Error of the system */
  static async open(path: string, maxBytes = MAX_BYTES): Promise<RecordingFile> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
    try {
      const found = { bytes: 0, exchanges: 0, lastNumber: 0 };
      for await (const { offset, length, exchanges, lastNumber } of walkFrames(file))
        Object.assign(found, { bytes: offset + length, exchanges, lastNumber });
      await file.truncate(found.bytes);
      return new RecordingFile(file, found, maxBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The number of an exchange that begins. */
  nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  get state(): RecordingState {
    return { exchanges: this.#exchanges, bytes: this.#bytes, lost: this.#lost, problem: this.#problem };
  }

  /** So much waits to be written that it is better to wait; `settled` tells when to go on. */
  get full(): boolean {
    return this.#waiting > MUCH;
  }

  /** Resolves when the line is in the file, or can't be. */
  append(line: RecordedLine): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    this.#waiting += text.length;
    return new Promise((done) => {
      this.#pending.push({ text, ends: line.kind === 'exchange', done });
      this.#writing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#writeAll());
    });
  }

  /** Resolves when nothing waits to be written any more. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async close(): Promise<void> {
    await this.settled();
    await this.#file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#nextBatch();
      const ended = batch.filter(({ ends }) => ends).length;
      try {
        const written = this.#write(Buffer.from(batch.map(({ text }) => text).join('')), ended);
        if (written !== undefined) await written;
        this.#exchanges += ended;
      } catch (error) {
        this.#lost += ended;
        this.#problem = (error as Error).message;
      }
      for (const { text, done } of batch) {
        this.#waiting -= text.length;
        done();
      }
    }
    this.#writing = undefined;
  }

  #nextBatch(): Pending[] {
    let [count, length] = [0, 0];
    for (const { text } of this.#pending) {
      if (count > 0 && length + text.length > FRAME_TEXT) break;
      count += 1;
      length += text.length;
    }
    return this.#pending.splice(0, count);
  }

  #write(text: Buffer, ended: number): Promise<void> | undefined {
    const frame = compress(text);
    if (frame instanceof Promise) return frame.then((bytes) => this.#put(bytes, ended));
    this.#put(frame, ended);
    return undefined;
  }

  /** @throws Error of the system, or that the file is as large as it may be; the file ends as before then */
  #put(frame: Buffer, ended: number): void {
    const head = writeHead({
      length: frame.length,
      lastNumber: this.#lastNumber,
      exchanges: this.#exchanges + ended,
    });
    const whole = Buffer.concat([head, frame]);
    if (this.#bytes + whole.length > this.#maxBytes)
      throw new Error(`it is as large as a recording may be, ${this.#maxBytes} bytes`);
    const written = writeSync(this.#file.fd, whole, 0, whole.length, this.#bytes);
    if (written < whole.length) {
      ftruncateSync(this.#file.fd, this.#bytes);
      throw new Error('the disk is full');
    }
    this.#bytes += HEAD_BYTES + frame.length;
  }
}

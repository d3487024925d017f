import { closeSync, constants, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { RecordedLine, RecordingState } from '@ssebench/contracts/model-calls';
import { compress, HEAD_BYTES, writeHead } from './frames.ts';
import { parseLines, partPath, partsOf, withoutHalfLine } from './parts.ts';
import { readInTurn } from './read-in-turn.ts';
import { walkFrames } from './walk.ts';

/** A recording grows no larger. Bytes. */
const MAX_BYTES = 1024 ** 3;
/** A part that is as large is compressed. Bytes. */
const PART_BYTES = 1 * 1024 * 1024;

/** Lines of so many characters are made into bytes in one place, again and again: most are, and garbage is none. */
const SCRATCH_TEXT = 128 * 1024;
const scratch = Buffer.allocUnsafeSlow(3 * SCRATCH_TEXT);

function scratchLine(line: string): number {
  const length = scratch.write(line);
  return length + scratch.write('\n', length);
}

/** How far a recording is after a part. */
interface Progress {
  readonly part: number;
  readonly lastNumber: number;
  readonly exchanges: number;
}

/**
 * The file of a run's exchanges, which only grows. A line is written as it is, into a part beside the file, before `append`
 * returns: it outlives this process's death at any moment. A part that is large enough, and the last one in the end, is
 * compressed into the file as a frame, and goes. What can't be written is told in `state` and is nobody's trouble.
 */
export class RecordingFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #maxBytes: number;
  #bytes: number;
  #exchanges: number;
  #lastNumber: number;
  #lost = 0;
  #problem: string | null = null;
  /** The part that is written to. */
  #part: number;
  #fd: number | undefined;
  #partBytes = 0;
  /** Parts that are complete and not compressed yet, in order; their bytes. */
  readonly #complete: Progress[] = [];
  #completeBytes = 0;
  #packing: Promise<void> = Promise.resolve();

  private constructor(path: string, file: FileHandle, found: Progress & { bytes: number }, maxBytes: number) {
    this.#path = path;
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#bytes = found.bytes;
    this.#exchanges = found.exchanges;
    this.#lastNumber = found.lastNumber;
    this.#part = found.part + 1;
  }

  /** Makes the file, or goes on where a killed process stopped. @throws Error of the system */
  static async open(path: string, maxBytes = MAX_BYTES): Promise<RecordingFile> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
    try {
      const found = { bytes: 0, part: 0, exchanges: 0, lastNumber: 0 };
      for await (const { offset, length, part, exchanges, lastNumber } of walkFrames(file))
        Object.assign(found, { bytes: offset + length, part, exchanges, lastNumber });
      await file.truncate(found.bytes);
      const recording = new RecordingFile(path, file, found, maxBytes);
      for (const part of partsOf(path)) recording.#takeUp(part);
      return recording;
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
    const bytes = this.#bytes + this.#completeBytes + this.#partBytes;
    return { exchanges: this.#exchanges, bytes, lost: this.#lost, problem: this.#problem };
  }

  /** Writes the line. Never throws. */
  append(line: RecordedLine): void {
    try {
      this.#write(JSON.stringify(line));
      if (line.kind === 'exchange') this.#exchanges += 1;
      if (this.#partBytes >= PART_BYTES) this.#endPart();
    } catch (error) {
      if (line.kind === 'exchange') this.#lost += 1;
      this.#problem = (error as Error).message;
    }
  }

  /** Resolves when all is compressed that can be. */
  async close(): Promise<void> {
    this.#endPart();
    await this.#packing;
    await this.#file.close();
  }

  /** @throws Error of the system, or that there may be no more; the part ends as before then */
  #write(line: string): void {
    const bytes = line.length < SCRATCH_TEXT ? scratch : Buffer.from(`${line}\n`);
    const length = bytes === scratch ? scratchLine(line) : bytes.length;
    if (this.#bytes + this.#completeBytes + this.#partBytes + length > this.#maxBytes)
      throw new Error(`it is as large as a recording may be, ${this.#maxBytes} bytes`);
    this.#fd ??= openSync(partPath(this.#path, this.#part), 'wx', 0o644);
    const written = writeSync(this.#fd, bytes, 0, length, this.#partBytes);
    if (written < length) {
      ftruncateSync(this.#fd, this.#partBytes);
      throw new Error('the disk is full');
    }
    this.#partBytes += written;
  }

  #endPart(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    this.#completeBytes += this.#partBytes;
    this.#partBytes = 0;
    this.#complete.push({ part: this.#part, lastNumber: this.#lastNumber, exchanges: this.#exchanges });
    this.#part += 1;
    this.#packing = this.#packing.then(() => this.#pack());
  }

  /** One that is in the file already was left by a process that was killed before it could remove it. */
  #takeUp(part: number): void {
    if (part < this.#part) {
      rmSync(partPath(this.#path, part), { force: true });
      return;
    }
    const lines = withoutHalfLine(readFileSync(partPath(this.#path, part)));
    for (const { kind, exchange } of parseLines(lines)) {
      this.#lastNumber = Math.max(this.#lastNumber, exchange);
      if (kind === 'exchange') this.#exchanges += 1;
    }
    this.#completeBytes += lines.length;
    this.#complete.push({ part, lastNumber: this.#lastNumber, exchanges: this.#exchanges });
    this.#part = part + 1;
    this.#packing = this.#packing.then(() => this.#pack());
  }

  /** In order; one that can't be compressed now is tried again with the next one. Never throws. */
  async #pack(): Promise<void> {
    for (let next = this.#complete[0]; next !== undefined; next = this.#complete[0]) {
      try {
        const { frame, length } = await readInTurn(partPath(this.#path, next.part), async (bytes) => {
          const text = withoutHalfLine(bytes);
          return { frame: await compress(text), length: text.length };
        });
        const whole = Buffer.concat([writeHead({ ...next, length: frame.length }), frame]);
        await this.#file.write(whole, 0, whole.length, this.#bytes);
        this.#bytes += HEAD_BYTES + frame.length;
        this.#completeBytes -= length;
        await rm(partPath(this.#path, next.part), { force: true });
        this.#complete.shift();
      } catch (error) {
        this.#problem = (error as Error).message;
        return;
      }
    }
  }
}

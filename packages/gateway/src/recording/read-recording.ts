import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { RecordedLine } from '@ssebench/contracts/model-calls';
import { decompress } from './frames.ts';
import { parseLines, partPath, partsOf, withoutHalfLine } from './parts.ts';
import { type FrameAt, walkFrames } from './walk.ts';

/** Where lines of a recording stand: in a frame of it, or in a part that was not compressed. */
export type LinesAt = Pick<FrameAt, 'offset' | 'length'> | { readonly part: number };

/** A recording that can be read in part, while it is written or after. */
export class RecordingReader implements AsyncDisposable {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** @throws Error of the system */
  static async open(path: string): Promise<RecordingReader> {
    return new RecordingReader(path, await open(path, 'r'));
  }

  /** Every line that was written whole, and where it stands: lines of one place have the same object. @throws Error for what is no recording */
  async *lines(): AsyncGenerator<{ line: RecordedLine; at: LinesAt }> {
    let offset = 0;
    let lastPart = 0;
    for (let gone = true; gone; ) {
      gone = false;
      const parts = partsOf(this.#path);
      for await (const frame of walkFrames(this.#file, offset)) {
        if (frame.part > lastPart) for (const line of await this.#linesOf(frame)) yield { line, at: frame };
        offset = frame.offset + frame.length;
        lastPart = Math.max(lastPart, frame.part);
      }
      for (const part of parts.filter((it) => it > lastPart)) {
        const lines = await this.#linesOfPart(part);
        // It was compressed meanwhile: there is a frame of it now.
        gone = lines === undefined;
        if (lines === undefined) break;
        const at = { part };
        for (const line of lines) yield { line, at };
        lastPart = part;
      }
    }
  }

  /** @throws Error for a frame that is damaged */
  async linesAt(at: LinesAt): Promise<RecordedLine[]> {
    if ('offset' in at) return this.#linesOf(at);
    const lines = await this.#linesOfPart(at.part);
    if (lines !== undefined) return lines;
    for await (const frame of walkFrames(this.#file)) if (frame.part === at.part) return this.#linesOf(frame);
    throw new Error(`${partPath(this.#path, at.part)} is gone`);
  }

  async #linesOf({ offset, length }: Pick<FrameAt, 'offset' | 'length'>): Promise<RecordedLine[]> {
    const frame = Buffer.alloc(length);
    await this.#file.read(frame, 0, length, offset);
    return parseLines(await decompress(frame));
  }

  /** Undefined: there is no such part any more. */
  async #linesOfPart(part: number): Promise<RecordedLine[] | undefined> {
    try {
      return parseLines(withoutHalfLine(await readFile(partPath(this.#path, part))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

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

  /** Every line that was written whole, and where it stands. @throws Error for what is no recording */
  async *lines(): AsyncGenerator<{ line: RecordedLine; at: LinesAt }> {
    let compressed = 0;
    for await (const frame of walkFrames(this.#file)) {
      for (const line of await this.linesAt(frame)) yield { line, at: frame };
      compressed = frame.part;
    }
    for (const part of partsOf(this.#path)) {
      const at = { part };
      if (part > compressed) for (const line of await this.linesAt(at)) yield { line, at };
    }
  }

  /** @throws Error for a frame that is damaged */
  async linesAt(at: LinesAt): Promise<RecordedLine[]> {
    if (!('offset' in at)) return parseLines(withoutHalfLine(await readFile(partPath(this.#path, at.part))));
    const frame = Buffer.alloc(at.length);
    await this.#file.read(frame, 0, at.length, at.offset);
    return parseLines(await decompress(frame));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

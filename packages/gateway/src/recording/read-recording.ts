import { type FileHandle, open } from 'node:fs/promises';
import { RecordedLine } from '@ssebench/contracts/model-calls';
import { decompress } from './frames.ts';
import { type FrameAt, walkFrames } from './walk.ts';

/** A recording that can be read in part, while it is written or after. */
export class RecordingReader implements AsyncDisposable {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @throws Error of the system */
  static async open(path: string): Promise<RecordingReader> {
    return new RecordingReader(await open(path, 'r'));
  }

  frames(): AsyncGenerator<FrameAt> {
    return walkFrames(this.#file);
  }

  /** Every line that was written whole, with the frame that it is in. @throws Error for what is no recording */
  async *lines(): AsyncGenerator<{ line: RecordedLine; frame: FrameAt }> {
    for await (const frame of this.frames()) {
      for (const line of await this.linesIn(frame)) yield { line, frame };
    }
  }

  /** @throws Error for a frame that is damaged */
  async linesIn({ offset, length }: Pick<FrameAt, 'offset' | 'length'>): Promise<RecordedLine[]> {
    const frame = Buffer.alloc(length);
    await this.#file.read(frame, 0, length, offset);
    const text = (await decompress(frame)).toString('utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => RecordedLine.parse(JSON.parse(line)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

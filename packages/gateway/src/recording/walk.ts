import type { FileHandle } from 'node:fs/promises';
import { type FrameHead, HEAD_BYTES, readHead } from './frames.ts';

/** A frame and where it stands in its file, behind its head. */
export interface FrameAt extends FrameHead {
  readonly offset: number;
}

/** The whole frames of a recording from an offset on, in order; what a killed process left half written is none. */
export async function* walkFrames(file: FileHandle, from = 0): AsyncGenerator<FrameAt> {
  const { size } = await file.stat();
  const bytes = Buffer.alloc(HEAD_BYTES + 4);
  for (let at = from; ; ) {
    const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
    const head = readHead(bytes.subarray(0, bytesRead));
    const offset = at + HEAD_BYTES;
    if (head === undefined || offset + head.length > size) return;
    yield { ...head, offset };
    at = offset + head.length;
  }
}

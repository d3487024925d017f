import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';

/**
 * A recording is a row of frames, each a whole Zstandard frame behind a skippable one that says how long it is, so that
 * the end of what was written whole is found without decompressing, and any tool reads the file.
 * Source: RFC 8878 §3.1.2.
 */
const SKIPPABLE_MAGIC = 0x184d2a50;
const FRAME_MAGIC = 0xfd2fb528;
const MARK_BYTES = 16;
export const HEAD_BYTES = 8 + MARK_BYTES;

/** What stands before a frame. */
export interface FrameHead {
  /** Of the frame that follows. */
  readonly length: number;
  /** The lines that it holds were in the part of this number. */
  readonly part: number;
  /** Numbers up to this one are given to exchanges. */
  readonly lastNumber: number;
  /** Exchanges that are in the file after this frame. */
  readonly exchanges: number;
}

const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Decompressed, a frame of ours is smaller. */
const MAX_FRAME = 256 * 1024 * 1024;

const compressLater = promisify(zstdCompress);
const decompressLater = promisify(zstdDecompress);

/** Beside the event loop. */
export function compress(text: Buffer): Promise<Buffer> {
  return compressLater(text, OPTIONS);
}

/** @throws Error for what is no frame */
export function decompress(frame: Buffer): Promise<Buffer> {
  return decompressLater(frame, { maxOutputLength: MAX_FRAME });
}

export function writeHead({ length, part, lastNumber, exchanges }: FrameHead): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  for (const [index, value] of [SKIPPABLE_MAGIC, MARK_BYTES, length, part, lastNumber, exchanges].entries())
    head.writeUInt32LE(value, index * 4);
  return head;
}

/** @param bytes of the head and at least 4 more. Undefined: no frame of a recording stands there */
export function readHead(bytes: Buffer): FrameHead | undefined {
  if (bytes.length < HEAD_BYTES + 4) return undefined;
  const at = (index: number) => bytes.readUInt32LE(index * 4);
  if (at(0) !== SKIPPABLE_MAGIC || at(1) !== MARK_BYTES || at(6) !== FRAME_MAGIC) return undefined;
  return { length: at(2), part: at(3), lastNumber: at(4), exchanges: at(5) };
}

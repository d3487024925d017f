import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';

/**
 * A recording is a row of frames, each a whole Zstandard frame behind a skippable one that says how long it is, so that
 * the end of what was written whole is found without decompressing, and any tool reads the file.
 * Source: RFC 8878 §3.1.2.
 */
const SKIPPABLE_MAGIC = 0x184d2a50;
const FRAME_MAGIC = 0xfd2fb528;
const MARK_BYTES = 12;
export const HEAD_BYTES = 8 + MARK_BYTES;

/** What stands before a frame. */
export interface FrameHead {
  /** Of the frame that follows. */
  readonly length: number;
  /** Numbers up to this one are given to exchanges. */
  readonly lastNumber: number;
  /** Exchanges that are in the file after this frame. */
  readonly exchanges: number;
}

/** Fast rather than small: it is done while a client waits. */
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Decompressed, a frame of ours is smaller. */
const MAX_FRAME = 256 * 1024 * 1024;
/** A short text is compressed sooner than a thread has taken it up. Bytes. */
const SHORT = 128 * 1024;

const compressLater = promisify(zstdCompress);
const decompressLater = promisify(zstdDecompress);

/** The frame of a text, at once where it is short. */
export function compress(text: Buffer): Buffer | Promise<Buffer> {
  return text.length <= SHORT ? zstdCompressSync(text, OPTIONS) : compressLater(text, OPTIONS);
}

/** @throws Error for what is no frame */
export function decompress(frame: Buffer): Promise<Buffer> {
  return decompressLater(frame, { maxOutputLength: MAX_FRAME });
}

export function writeHead({ length, lastNumber, exchanges }: FrameHead): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  for (const [index, value] of [SKIPPABLE_MAGIC, MARK_BYTES, length, lastNumber, exchanges].entries())
    head.writeUInt32LE(value, index * 4);
  return head;
}

/** @param bytes of the head and at least 4 more. Undefined: no frame of a recording stands there */
export function readHead(bytes: Buffer): FrameHead | undefined {
  if (bytes.length < HEAD_BYTES + 4) return undefined;
  const at = (index: number) => bytes.readUInt32LE(index * 4);
  if (at(0) !== SKIPPABLE_MAGIC || at(1) !== MARK_BYTES || at(5) !== FRAME_MAGIC) return undefined;
  return { length: at(2), lastNumber: at(3), exchanges: at(4) };
}

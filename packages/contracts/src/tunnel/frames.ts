/**
 * Frames of a tunnel: many connections over one byte stream. A frame is one byte type, four bytes connection, four bytes
 * length (both big-endian), payload.
 */
export const FRAME = {
  /** A new connection, from the side that listens. */
  open: 1,
  data: 2,
  /** The sender sends no more on it. */
  end: 3,
  /** It is gone, both ways. */
  reset: 4,
  /** The receiver has room again: four bytes count. */
  window: 5,
} as const;
export type FrameType = (typeof FRAME)[keyof typeof FRAME];

export interface Frame {
  type: FrameType;
  connection: number;
  payload: Buffer;
}

const HEADER_BYTES = 9;
/** Most bytes of one frame's payload, so that no connection keeps the others waiting. */
export const MAX_PAYLOAD = 64 * 1024;
const TYPES: ReadonlySet<number> = new Set(Object.values(FRAME));

export function encodeFrame({ type, connection, payload }: Frame): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(connection, 1);
  header.writeUInt32BE(payload.length, 5);
  return payload.length === 0 ? header : Buffer.concat([header, payload]);
}

/** Puts frames together from what arrives. */
export class FrameReader {
  #held: Buffer[] = [];
  #bytes = 0;
  /** How many bytes the next frame has, as far as that is known. */
  #needed = HEADER_BYTES;

  /** The frames that this chunk completes. @throws RangeError for what is no tunnel's */
  read(chunk: Buffer): Frame[] {
    this.#held.push(chunk);
    this.#bytes += chunk.length;
    const frames: Frame[] = [];
    while (this.#bytes >= this.#needed) {
      const all = this.#held.length === 1 ? (this.#held[0] ?? chunk) : Buffer.concat(this.#held);
      const type = all.readUInt8(0);
      const end = HEADER_BYTES + all.readUInt32BE(5);
      if (!isType(type) || end > HEADER_BYTES + MAX_PAYLOAD) throw new RangeError('not the frames of a tunnel');
      this.#needed = end;
      this.#held = [all];
      if (all.length < end) break;
      frames.push({ type, connection: all.readUInt32BE(1), payload: all.subarray(HEADER_BYTES, end) });
      this.#held = [all.subarray(end)];
      this.#bytes = all.length - end;
      this.#needed = HEADER_BYTES;
    }
    return frames;
  }
}

function isType(type: number): type is FrameType {
  return TYPES.has(type);
}

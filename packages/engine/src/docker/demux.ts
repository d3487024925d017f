import type { LogChunk } from '../container.ts';

const HEADER_BYTES = 8;

/**
 * Splits what an engine sends for both output streams on one connection: frames of one byte stream number (1 stdout,
 * 2 stderr), three bytes 0, four bytes length, data. Source: Docker Engine API, "attach to a container".
 * Data is handed on as it arrives; a frame need not be complete for it.
 */
export async function* demux(chunks: AsyncIterable<Buffer>): AsyncGenerator<LogChunk, void, undefined> {
  let header = Buffer.alloc(0);
  let stream: LogChunk['stream'] = 'stdout';
  let left = 0;
  for await (let chunk of chunks) {
    while (chunk.length > 0) {
      if (left > 0) {
        const data = chunk.subarray(0, left);
        chunk = chunk.subarray(data.length);
        left -= data.length;
        yield { stream, data };
        continue;
      }
      const missing = HEADER_BYTES - header.length;
      header = Buffer.concat([header, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      if (header.length < HEADER_BYTES) continue;
      stream = header[0] === 2 ? 'stderr' : 'stdout';
      left = header.readUInt32BE(4);
      header = Buffer.alloc(0);
    }
  }
}

import type { IncomingMessage } from 'node:http';

export type ReadBody = { readonly bytes: Buffer } | { readonly failed: 'too_large' | 'no_room' | 'aborted' };

/**
 * The whole body; `too_large` as soon as it is known to be, `no_room` when `room` says so, both without reading on; `aborted`
 * when the client went away.
 * @param room asked before a piece is kept
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  room: (bytes: number) => boolean = () => true,
): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve({ failed: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (failed: 'too_large' | 'no_room') => {
      request.off('data', take);
      request.pause();
      chunks.length = 0;
      resolve({ failed });
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) fail('too_large');
      else if (room(chunk.length)) chunks.push(chunk);
      else fail('no_room');
    };
    request.on('data', take);
    request.on('end', () =>
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length) }),
    );
    request.on('close', () => resolve({ failed: 'aborted' }));
  });
}

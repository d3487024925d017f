import type { IncomingMessage } from 'node:http';

export type ReadBody = { readonly bytes: Buffer } | { readonly failed: 'too_large' | 'aborted' };

/** The whole body; `too_large` as soon as it is known to be, without reading on; `aborted` when the client went away. */
export function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve({ failed: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else {
        request.pause();
        resolve({ failed: 'too_large' });
      }
    });
    request.on('end', () =>
      resolve({ bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length) }),
    );
    request.on('close', () => resolve({ failed: 'aborted' }));
  });
}

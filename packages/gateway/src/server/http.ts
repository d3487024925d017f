import type { ServerResponse } from 'node:http';
import type { Protocol, WireError } from '../protocols/protocol.ts';

/** Worth another try by the client; anything else is not, which Anthropic's and OpenAI's SDKs are told by a header. */
const TRY_AGAIN: ReadonlySet<WireError['kind']> = new Set(['busy', 'provider', 'internal']);

export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  });
  response.end(body);
}

/** An error in the protocol's own shape. An answer that has begun is broken off. */
export function sendError(response: ServerResponse, protocol: Protocol, error: WireError): void {
  const headers: Record<string, string> = TRY_AGAIN.has(error.kind) ? {} : { 'x-should-retry': 'false' };
  if (error.kind === 'busy') headers['retry-after'] = '2';
  sendJson(response, error.status, protocol.errorBody(error), headers);
}

import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { Transport } from './transport.ts';

export interface BuildSession {
  id: string;
  /** Ends the session. The engine has no more use for it once the build has answered. */
  close(): void;
}

/** Source: grpc/grpc, doc/statuscodes.md. */
const GRPC = { ok: '0', unimplemented: '12' };

/** The methods that the engine may call, with their answers as protobuf messages. */
const ANSWERS: Readonly<Record<string, Uint8Array>> = {
  // HealthCheckResponse { status: SERVING }. Engines drop a session that doesn't answer.
  '/grpc.health.v1.Health/Check': Uint8Array.of(8, 1),
  // CredentialsResponse {}: nobody in particular. Without this method BuildKit can't pull from any registry.
  '/moby.filesync.v1.Auth/Credentials': new Uint8Array(),
};

/**
 * Opens the back channel that BuildKit asks for credentials on while it builds: HTTP/2 over a connection that the engine
 * turns round, with us as the server. Source: moby/buildkit, session/grpc.go.
 */
export async function openBuildSession(
  transport: Transport,
  id: string,
  signal: AbortSignal | undefined,
): Promise<BuildSession> {
  const socket = await transport.hijack(
    {
      operation: 'open a build session',
      method: 'POST',
      path: '/session',
      headers: {
        Upgrade: 'h2c',
        'X-Docker-Expose-Session-Uuid': id,
        'X-Docker-Expose-Session-Name': 'ssebench',
        'X-Docker-Expose-Session-Grpc-Method': Object.keys(ANSWERS),
      },
    },
    { signal },
  );
  const server = createServer();
  server.on('stream', answer);
  // The engine just hangs up when the build is over; a session that breaks before fails the build by itself.
  server.on('sessionError', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  server.emit('connection', socket);
  return { id, close: () => close(server, socket) };
}

function close(server: Http2Server, socket: { destroy(): void }): void {
  socket.destroy();
  server.close();
}

function answer(stream: ServerHttp2Stream, headers: { ':path'?: string }): void {
  stream.on('error', () => stream.destroy());
  const message = ANSWERS[headers[':path'] ?? ''];
  if (!message) {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': GRPC.unimplemented },
      { endStream: true },
    );
    return;
  }
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': GRPC.ok }));
  stream.resume();
  stream.end(frame(message));
}

/** gRPC's framing: uncompressed, length, message. */
function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

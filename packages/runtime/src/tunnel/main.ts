import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream';
import { Tunnel } from '@ssebench/contracts/tunnel/tunnel';

/** Connections at a time; the relay before it takes no more either. */
const MAX_CONNECTIONS = 500;

/**
 * `tunnel SOCKET`: listens on a Unix socket of this container, which root's processes alone can reach, and carries what
 * comes there over its own standard input and output: to a host that can mount no socket. Ends with its standard input.
 */
export async function runTunnel([socketPath]: readonly string[]): Promise<number> {
  if (!socketPath) {
    process.stderr.write('tunnel: the path of a socket is missing\n');
    return 1;
  }
  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 });
  rmSync(socketPath, { force: true });
  const tunnel = new Tunnel({ send: (bytes) => void process.stdout.write(bytes) });
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = tunnel.open();
    // What breaks one direction is seen by both ends; there is nothing more to say.
    pipeline(client, connection, client, () => undefined);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(socketPath);
  await once(server, 'listening');
  process.stdout.on('error', () => process.exit(1));
  for await (const bytes of process.stdin as AsyncIterable<Buffer>) tunnel.receive(bytes);
  tunnel.close();
  return 0;
}

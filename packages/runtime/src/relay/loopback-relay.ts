import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Connections that the agent has at a time; what comes beyond them is closed at once. */
const MAX_CONNECTIONS = 500;
/** A server that was ended comes back within this, and the agent is not to see it. Milliseconds. */
const RECONNECT_MS = 30_000;
const RECONNECT_INTERVAL = 100;

interface RelayOptions {
  port: number;
  /** A loopback address; the default is 127.0.0.1. */
  host?: '127.0.0.1' | '::1';
  /** Where the server listens; it may come later, and be made anew. */
  socketPath: string;
  /** Called for every connection, before the server is reached for it: whoever starts that one when it is asked for. */
  prepare?: () => Promise<void>;
}

/**
 * What the agent sends to a port of the loopback goes to a Unix socket, byte for byte: to its model's gateway, its only way
 * out, and to the MCP server. It knows nothing of what it carries.
 */
export class LoopbackRelay {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #closed = new AbortController();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Resolves when it listens. @throws the error of `listen` */
  static async open(options: RelayOptions): Promise<LoopbackRelay> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    const relay = new LoopbackRelay(server);
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (client) => void relay.#carry(client, options));
    server.listen(options.port, options.host ?? '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Cuts every connection and takes no more. */
  async close(): Promise<void> {
    this.#closed.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#open) socket.destroy();
    await promise;
  }

  async #carry(client: Socket, { socketPath, prepare }: RelayOptions): Promise<void> {
    this.#track(client);
    await prepare?.();
    const server = await this.#reach(socketPath, client);
    if (!server) {
      client.destroy();
      return;
    }
    this.#track(server);
    // One side that breaks breaks the other; one that ends only ends its own direction.
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  }

  /** Undefined when the client, or the relay, is gone before the server answers, or that never does. */
  async #reach(socketPath: string, client: Socket): Promise<Socket | undefined> {
    const last = performance.now() + RECONNECT_MS;
    const { signal } = this.#closed;
    while (!client.destroyed && !signal.aborted) {
      const server = connect({ path: socketPath, allowHalfOpen: true });
      try {
        await once(server, 'connect', { signal });
        return server;
      } catch {
        server.destroy();
        if (performance.now() > last) return undefined;
        await delay(RECONNECT_INTERVAL, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return undefined;
  }

  #track(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    // What breaks a connection is seen by both of its ends; there is nothing more to say.
    socket.on('error', () => socket.destroy());
    if (this.#closed.signal.aborted) socket.destroy();
  }
}

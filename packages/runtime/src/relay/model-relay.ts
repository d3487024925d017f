import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Connections that an agent has to its model at a time; what comes beyond them is closed at once. */
const MAX_CONNECTIONS = 500;
/** A gateway that was ended comes back within this, and the agent is not to see it. Milliseconds. */
const RECONNECT_MS = 30_000;
const RECONNECT_INTERVAL = 100;

interface RelayOptions {
  /** Of the loopback address. */
  port: number;
  /** Where the gateway listens; it may come later, and be made anew. */
  socketPath: string;
}

/**
 * The agent's only way out: what it sends to a port of the loopback goes to the model gateway's socket, byte for byte.
 * It knows nothing of what it carries.
 */
export class ModelRelay {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #closed = new AbortController();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Resolves when it listens. @throws the error of `listen` */
  static async open({ port, socketPath }: RelayOptions): Promise<ModelRelay> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    const relay = new ModelRelay(server);
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (client) => void relay.#carry(client, socketPath));
    server.listen(port, '127.0.0.1');
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

  async #carry(client: Socket, socketPath: string): Promise<void> {
    this.#track(client);
    const gateway = await this.#reach(socketPath, client);
    if (!gateway) {
      client.destroy();
      return;
    }
    this.#track(gateway);
    // One side that breaks breaks the other; one that ends only ends its own direction.
    client.once('close', () => gateway.destroy());
    gateway.once('close', () => client.destroy());
    client.pipe(gateway);
    gateway.pipe(client);
  }

  /** Undefined when the client, or the relay, is gone before the gateway answers, or that never does. */
  async #reach(socketPath: string, client: Socket): Promise<Socket | undefined> {
    const last = performance.now() + RECONNECT_MS;
    const { signal } = this.#closed;
    while (!client.destroyed && !signal.aborted) {
      const gateway = connect({ path: socketPath, allowHalfOpen: true });
      try {
        await once(gateway, 'connect', { signal });
        return gateway;
      } catch {
        gateway.destroy();
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

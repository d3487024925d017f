import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { protocolOf } from '../protocols/all.ts';
import { RecordedResponse } from '../recording/recorded-response.ts';
import { faults } from './faults.ts';
import { serve } from './forward.ts';
import type { Gateway } from './gateway.ts';
import { sendError } from './http.ts';
import { inTurn } from './in-turn.ts';
import { writeTogether } from './write-together.ts';

/**
 * A connection on which nothing moves for this long is closed: longer than any provider is waited for. It holds between requests,
 * too: a limit of its own would be a timer set and cleared for each.
 */
const SOCKET_IDLE_MS = 20 * 60_000;

/**
 * So much of an answer may wait for a client before its provider is stopped. Events are small, and what is noted of each takes
 * more than its bytes.
 */
const UNSENT_BYTES = 16 * 1024;

/** Of one run: more than a run may have calls under way, and few enough that a run can't take the files of all. */
const MOST_CONNECTIONS = 256;

type ClientServer = Server<typeof IncomingMessage, typeof RecordedResponse>;

/** The sockets on which clients come: one per run, bound to its key, and a loopback port for programs of the host. */
export class ClientListeners {
  readonly #gateway: Gateway;
  readonly #serve: typeof serve;
  readonly #runs = new Map<string, ClientServer>();
  #loopback: ClientServer | undefined;

  /** @param handle answers a request, of a run's socket with the run's name */
  constructor(gateway: Gateway, handle = serve) {
    this.#gateway = gateway;
    this.#serve = handle;
  }

  /** Listens on 127.0.0.1. @returns the port */
  async openLoopback(port = 0): Promise<number> {
    this.#loopback = this.#server(undefined);
    this.#loopback.listen(port, '127.0.0.1');
    await once(this.#loopback, 'listening');
    const address = this.#loopback.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Listens on a run's Unix socket; what stands at its path from an earlier process is replaced. @throws Error of the system */
  async openRun(runId: string, socket: string): Promise<void> {
    if (this.#runs.has(runId)) return;
    const server = this.#server(runId);
    this.#runs.set(runId, server);
    rmSync(socket, { force: true });
    // The client in the container is another user; who gets at the socket is decided by the directory that holds it.
    server.listen({ path: socket, readableAll: true, writableAll: true });
    try {
      await once(server, 'listening');
    } catch (error) {
      this.#runs.delete(runId);
      throw error;
    }
  }

  /** Closes a run's socket and every connection on it. */
  closeRun(runId: string): Promise<void> {
    const server = this.#runs.get(runId);
    this.#runs.delete(runId);
    return server === undefined ? Promise.resolve() : close(server);
  }

  async closeAll(): Promise<void> {
    const servers = [...this.#runs.values(), ...(this.#loopback ? [this.#loopback] : [])];
    this.#runs.clear();
    await Promise.all(servers.map(close));
  }

  #server(boundTo: string | undefined): ClientServer {
    const server = createServer<typeof IncomingMessage, typeof RecordedResponse>(
      { ServerResponse: RecordedResponse, highWaterMark: UNSENT_BYTES },
      (request, response) =>
        inTurn(response, () => {
          this.#serve(this.#gateway, request, response, boundTo).catch((error: unknown) =>
            this.#failed(error, request, response),
          );
        }),
    );
    if (boundTo !== undefined) {
      server.maxConnections = MOST_CONNECTIONS;
      // One that came too many is closed; those that wait for nothing make room for the client's next try.
      server.on('drop', () => server.closeIdleConnections());
    }
    server.on('connection', writeTogether);
    server.keepAliveTimeout = 0;
    server.setTimeout(SOCKET_IDLE_MS);
    return server;
  }

  #failed(error: unknown, request: IncomingMessage, response: RecordedResponse): void {
    const path = (request.url ?? '').split('?')[0] ?? '';
    this.#gateway.log(
      `${request.method} ${path}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    sendError(response, protocolOf(path), faults.internal());
  }
}

async function close(server: ClientServer): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

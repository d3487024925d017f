import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { dirname } from 'node:path';
import { createApp } from './app.ts';
import { ConfigError, type ListenerConfig } from './config.ts';
import { messageOf } from './daemon-error.ts';
import type { ListenerKind } from './listener.ts';
import { log } from './log.ts';
import type { Services } from './services.ts';

/** A longer path is cut by the system. */
const MAX_SOCKET_PATH_BYTES = 107;
/** Connections that one agent-facing listener has at a time; what comes beyond them is closed at once. */
const MAX_AGENT_CONNECTIONS = 1000;
/** How long open connections may take to end when the daemon stops. Source: spec/runtime §3.2. */
const STOP_GRACE_MS = 2_000;

/** The servers of one daemon, each with the routes that its kind of caller may use. */
export class Listeners {
  readonly #services: Services;
  readonly #servers: Server[] = [];

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Binds the listeners that are configured, the one that others wait for last: the agent's socket, or the admin socket
   * where there is none.
   * @throws ConfigError for one that can't be bound; those before it are open
   */
  async open({ hostSocket, httpPort, adminSocket, agentSocket }: ListenerConfig): Promise<void> {
    if (hostSocket) await this.#openSocket('host', hostSocket, 0o666);
    if (httpPort !== undefined) await this.#openHttp(httpPort);
    if (adminSocket) {
      requirePrivateDirectory(dirname(adminSocket));
      await this.#openSocket('admin', adminSocket, 0o600);
    }
    if (agentSocket) await this.#openSocket('agent', agentSocket, 0o666);
  }

  /** Port of the HTTP listener, where there is one. */
  get httpPort(): number | undefined {
    return this.#servers
      .map((server) => (server.address() as AddressInfo | null)?.port)
      .find((port) => port !== undefined);
  }

  /** Takes no more calls, waits {@link STOP_GRACE_MS} for those on their way, and then cuts them off. */
  async close(): Promise<void> {
    const cut = setTimeout(() => {
      for (const server of this.#servers) server.closeAllConnections();
    }, STOP_GRACE_MS);
    await Promise.all(this.#servers.map(closed));
    clearTimeout(cut);
  }

  async #openSocket(kind: ListenerKind, path: string, mode: number): Promise<void> {
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
      throw new ConfigError(`the socket path ${path} is longer than ${MAX_SOCKET_PATH_BYTES} bytes`);
    }
    rmSync(path, { force: true });
    await this.#listen(kind, { path });
    chmodSync(path, mode);
    log('info', 'Listening', { kind, path });
  }

  /** On the loopback addresses alone: another container could act as the agent. A machine may have no IPv6. */
  async #openHttp(port: number): Promise<void> {
    await this.#listen('agent', { host: '127.0.0.1', port });
    log('info', 'Listening', { kind: 'agent', port: this.httpPort });
    try {
      await this.#listen('agent', { host: '::1', port: this.httpPort, ipv6Only: true });
    } catch (error) {
      log('info', 'Not listening on ::1', { reason: messageOf(error) });
    }
  }

  async #listen(kind: ListenerKind, options: ListenOptions): Promise<void> {
    const server = createApp(this.#services, kind);
    // Without bounds the agent could use up our files, and nobody else would be heard.
    if (kind === 'agent') server.maxConnections = MAX_AGENT_CONNECTIONS;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    server.listen(options, resolve);
    try {
      await promise;
    } catch (error) {
      const address = options.path ?? `${options.host}:${options.port}`;
      throw new ConfigError(`the ${kind} listener can't be bound to ${address}: ${messageOf(error)}`, 1, {
        cause: error,
      });
    }
    server.off('error', reject);
    server.on('error', (error) => log('error', 'A listener failed', { kind, error: error.message }));
    this.#servers.push(server);
  }
}

/** The admin socket's directory is made when it is missing; one that others can enter is refused. */
function requirePrivateDirectory(dir: string): void {
  if (!existsSync(dir)) mkdirSync(dir, { mode: 0o700 });
  const { uid, mode } = lstatSync(dir);
  if (uid !== process.getuid?.() || mode & 0o077) {
    throw new ConfigError(`the admin socket's directory ${dir} must belong to root and be closed to others (0700)`);
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEngine } from '@ssebench/engine/docker/connect';

/** The container engine behind a wire that a test can cut: give its address to a command as `DOCKER_HOST`. */
export class EngineProxy implements AsyncDisposable {
  readonly address: string;
  readonly #directory: string;
  readonly #socketPath: string;
  readonly #engine: { path: string } | AddressInfoOf;
  readonly #open = new Set<Socket>();
  #server: Server | undefined;

  private constructor(directory: string, engine: { path: string } | AddressInfoOf) {
    this.#directory = directory;
    this.#socketPath = join(directory, 'engine.sock');
    this.address = `unix://${this.#socketPath}`;
    this.#engine = engine;
  }

  static async create(): Promise<EngineProxy> {
    const engine = await connectEngine();
    const { address } = engine;
    engine.close();
    const proxy = new EngineProxy(await mkdtemp(join(tmpdir(), 'engine-')), placeOf(address));
    await proxy.mend();
    return proxy;
  }

  /** No engine answers from now on, and calls that are on their way break. */
  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  /** The engine is back. */
  async mend(): Promise<void> {
    const server = createServer((client) => {
      const engine = connect(this.#engine);
      for (const socket of [client, engine]) {
        this.#open.add(socket);
        socket.once('close', () => this.#open.delete(socket));
        socket.on('error', () => socket.destroy());
      }
      client.pipe(engine).pipe(client);
      client.once('close', () => engine.destroy());
      engine.once('close', () => client.destroy());
    });
    this.#server = server;
    await rm(this.#socketPath, { force: true });
    await new Promise<void>((resolve) => server.listen(this.#socketPath, resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

type AddressInfoOf = Pick<AddressInfo, 'port'> & { host: string };

function placeOf(address: string): { path: string } | AddressInfoOf {
  if (address.startsWith('unix://')) return { path: address.slice('unix://'.length) };
  const { hostname, port } = new URL(address);
  return { host: hostname, port: Number(port) };
}

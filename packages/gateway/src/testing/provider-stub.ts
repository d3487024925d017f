import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/** A request as the provider got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What the stub does with one request. */
export type Script = (response: ServerResponse, received: Received) => void | Promise<void>;

/** An answer in one piece. */
export function whole(body: string | Buffer, status = 200, headers: Record<string, string> = {}): Script {
  return (response) => {
    const length = String(Buffer.byteLength(body));
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
    response.end(body);
  };
}

/** A stream of server-sent events, in these pieces of bytes. */
export function stream(...pieces: readonly (string | Buffer)[]): Script {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) {
      if (!response.write(piece)) await once(response, 'drain');
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

/** A stream whose connection is cut after these pieces. */
export function brokenStream(...pieces: readonly string[]): Script {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of pieces) {
      await new Promise((resolve) => response.write(piece, resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.destroy();
  };
}

/** A provider on a real port that answers as its script says: one step a request, the last step again and again. */
export class ProviderStub implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: Server;
  #script: Script[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<ProviderStub> {
    const stub = new ProviderStub();
    stub.#server.listen(0, '127.0.0.1');
    await once(stub.#server, 'listening');
    return stub;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  answers(...script: readonly Script[]): this {
    this.#script = [...script];
    return this;
  }

  get last(): Received {
    const last = this.received.at(-1);
    if (last === undefined) throw new Error('the provider got no request');
    return last;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const received = { method, path: url, headers, body: Buffer.concat(chunks) };
    this.received.push(received);
    const step = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
    if (step === undefined) throw new Error('the provider has no script');
    await step(response, received);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

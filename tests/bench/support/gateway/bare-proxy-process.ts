/** The least that a reverse proxy of `node:http` and `undici` does: headers and bodies on, as they come, both ways. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import type { Listening } from './provider-process.ts';
import { serveOrders } from './worker.ts';

export interface ProxyOrder {
  /** Where to. */
  origin: string;
}

const NOT_ON = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'expect']);

const agent = new Agent({ pipelining: 1 });

function headersOn({ rawHeaders }: IncomingMessage): string[] {
  const out: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!NOT_ON.has(name.toLowerCase())) out.push(name, rawHeaders[at + 1] ?? '');
  }
  return out;
}

function headersBack(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection, 'keep-alive': keepAlive, 'transfer-encoding': encoding, ...rest } = headers;
  return rest;
}

class Passing implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#response.on('drain', () => controller.resume());
    this.#response.on('close', () => {
      if (!this.#response.writableEnded) controller.abort(new Error('the client went away'));
    });
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#response.writeHead(status, headersBack(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#response.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(): void {
    this.#response.destroy();
  }
}

serveOrders<ProxyOrder, Listening>(async ({ origin }) => {
  const server = createServer((request, response) => {
    const { url = '/', method } = request;
    const options = { origin, path: url, method: method as 'POST', headers: headersOn(request), body: request };
    agent.dispatch(options, new Passing(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0 };
});

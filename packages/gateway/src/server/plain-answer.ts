import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AnswerSink } from './upstream.ts';
import { headersToClient } from './wire-headers.ts';

/** An answer on its way to the client, byte for byte, as fast as the client takes it. */
export class PlainAnswer implements AnswerSink {
  readonly #response: ServerResponse;
  #flow: { pause(): void } | undefined;
  #stream = false;
  /** The latest piece of an answer that is no stream: the client has the whole of it only when `end` is called. */
  #last: Buffer | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  start(status: number, headers: IncomingHttpHeaders, flow: { pause(): void; resume(): void }): void {
    this.#flow = flow;
    this.#stream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
    this.#response.writeHead(status, headersToClient(headers, true));
    if (this.#stream) this.#response.flushHeaders();
    this.#response.on('drain', () => flow.resume());
  }

  data(chunk: Buffer): void {
    const piece = this.#stream ? chunk : this.#last;
    if (!this.#stream) this.#last = chunk;
    if (piece !== undefined && !this.#response.destroyed && !this.#response.write(piece)) this.#flow?.pause();
  }

  end(): void {
    this.#response.end(this.#last);
  }
}

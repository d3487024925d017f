import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from './ports.ts';
import { type Flow, Stall } from './stall.ts';
import type { AnswerSink } from './upstream.ts';
import { headersToClient } from './wire-headers.ts';

/** An answer on its way to the client, byte for byte, as fast as the client takes it. */
export class PlainAnswer implements AnswerSink {
  readonly #response: ServerResponse;
  readonly #stall: Stall;
  #flow: Flow | undefined;
  #stream = false;
  /** The latest piece of an answer that is no stream: the client has the whole of it only when `end` is called. */
  #last: Buffer | undefined;

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#stall = new Stall(response, clock);
  }

  /** As `CallAnswer` has it. */
  get stalledMs(): number {
    return this.#stall.longestMs;
  }

  start(status: number, headers: IncomingHttpHeaders, flow: Flow): void {
    this.#flow = flow;
    this.#stream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
    this.#response.writeHead(status, headersToClient(headers, true));
    if (this.#stream) this.#response.flushHeaders();
  }

  data(chunk: Buffer): void {
    const piece = this.#stream ? chunk : this.#last;
    if (!this.#stream) this.#last = chunk;
    if (piece === undefined || this.#response.destroyed) return;
    if (!this.#response.write(piece) && this.#flow) this.#stall.begin(this.#flow);
  }

  end(): void {
    this.#response.end(this.#last);
  }
}

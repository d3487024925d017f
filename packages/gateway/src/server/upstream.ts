import type { IncomingHttpHeaders } from 'node:http';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { passedOn } from './collect.ts';
import type { Stop } from './stop.ts';
import { writeTogether } from './write-together.ts';

/** Of an answer that is no success this much is kept. */
const MAX_ERROR_BODY = 1024 * 1024;
/** A model may think this long before its first byte, and between two. One limit, so that the client sets one timer for both. */
const SILENCE_MS = 15 * 60_000;
const CONNECT_MS = 10_000;
/** So much of an answer is read before somebody takes it: a provider that is to wait goes on until this is full. Bytes. */
const SOCKET_OPTIONS = { highWaterMark: 16 * 1024 };

export interface UpstreamRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'POST' | 'GET';
  /** Flat: name, value, name, value. */
  readonly headers: string[];
  readonly body: Buffer;
}

/** Takes a successful answer as it comes. */
export interface AnswerSink {
  /** Called once, before the body. @param flow stops and goes on with the body */
  start(status: number, headers: IncomingHttpHeaders, flow: { pause(): void; resume(): void }): void;
  data(chunk: Buffer): void;
}

/** How one attempt ended. Words are the system's or the library's, and never hold a header. */
export type AttemptEnd =
  | { readonly end: 'whole' }
  | { readonly end: 'broken'; readonly words: string }
  /** The provider answered with no success. Nothing is billed. */
  | { readonly end: 'status'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  /** No connection came about: the provider can't have seen the request. */
  | { readonly end: 'unreached'; readonly words: string }
  /** It was sent, and no answer came: it may have been served. */
  | { readonly end: 'unanswered'; readonly words: string }
  | { readonly end: 'aborted'; readonly sent: boolean };

/** Connections to providers. Redirects are not followed, nothing is tried twice, bodies are passed on as they come. */
export class Upstream {
  readonly #agent: Agent;

  constructor() {
    const connect = buildConnector({ ...SOCKET_OPTIONS, allowH2: false, timeout: CONNECT_MS });
    this.#agent = new Agent({
      allowH2: false,
      pipelining: 1,
      connect: (options, done) =>
        connect(options, (...result) => {
          if (result[1]) writeTogether(result[1]);
          done(...result);
        }),
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
      maxResponseSize: -1,
    });
  }

  /** Ends in every case, soon after `stop` is stopped. */
  attempt(request: UpstreamRequest, sink: AnswerSink, stop: Stop): Promise<AttemptEnd> {
    return new Promise((resolve) => {
      if (stop.stopped) return resolve({ end: 'aborted', sent: false });
      const handler = new Attempt(sink, stop, resolve);
      this.#agent.dispatch(request, handler);
    });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

class Attempt implements Dispatcher.DispatchHandler {
  readonly #sink: AnswerSink;
  readonly #stop: Stop;
  readonly #resolve: (end: AttemptEnd) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #answered = false;
  #failed: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[]; length: number } | undefined;

  constructor(sink: AnswerSink, stop: Stop, resolve: (end: AttemptEnd) => void) {
    this.#sink = sink;
    this.#stop = stop;
    this.#resolve = resolve;
    stop.on(this.#abort);
  }

  readonly #abort = () => {
    if (this.#controller) this.#controller.abort(new Error('the call was given up'));
    else this.#finish({ end: 'aborted', sent: false });
  };

  #finish(end: AttemptEnd): void {
    this.#stop.off(this.#abort);
    this.#resolve(end);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stop.stopped) controller.abort(new Error('the call was given up'));
    else this.#sent = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#answered = true;
    if (status < 300) this.#sink.start(status, headers, controller);
    else this.#failed = { status, headers, chunks: [], length: 0 };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    passedOn(chunk);
    if (this.#failed === undefined) this.#sink.data(chunk);
    else if (this.#failed.length < MAX_ERROR_BODY) {
      this.#failed.chunks.push(chunk);
      this.#failed.length += chunk.length;
    }
  }

  onResponseEnd(): void {
    this.#finish(this.#failed === undefined ? { end: 'whole' } : this.#status(this.#failed));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const words = describe(error);
    if (this.#stop.stopped) this.#finish({ end: 'aborted', sent: this.#sent });
    else if (this.#failed !== undefined) this.#finish(this.#status(this.#failed));
    else if (this.#answered) this.#finish({ end: 'broken', words });
    else this.#finish({ end: this.#sent ? 'unanswered' : 'unreached', words });
  }

  #status({ status, headers, chunks }: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[] }): AttemptEnd {
    return { end: 'status', status, headers, body: Buffer.concat(chunks) };
  }
}

/** The innermost cause's code and message. */
function describe(error: Error & { code?: string }): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  if (inner instanceof Error) return describe(inner);
  return error.code === undefined || error.message.includes(error.code)
    ? error.message
    : `${error.message} (${error.code})`;
}

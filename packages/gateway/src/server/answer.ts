import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { MemberReader } from '../json/member-reader.ts';
import { nothingSeen, type Protocol, type Seen, type WireError } from '../protocols/protocol.ts';
import { SseFilter } from '../protocols/sse.ts';
import type { Clock } from './ports.ts';
import { type Flow, Stall } from './stall.ts';
import type { AnswerSink } from './upstream.ts';
import { headersToClient } from './wire-headers.ts';

/** One answer on its way to the client. Beside it what it says of itself is read. */
export interface CallAnswer extends AnswerSink {
  readonly seen: Seen;
  /** 0 before there is an answer. */
  readonly status: number;
  readonly firstByteAt: number | undefined;
  /** For how long the client took nothing, at the longest, while there was something for it. Milliseconds. */
  readonly stalledMs: number;
  /** The provider's answer is over, and whole: `seen` is complete. Nothing more is written before `end`. */
  whole(): void;
  /** Whether the provider ended its answer properly, but not where an answer ends. */
  readonly cutShort: boolean;
  end(): void;
  /** Ends an answer that broke off, in the client's protocol where it can still be said, else by a broken connection. */
  breakOff(error: WireError): void;
}

/**
 * One answer on its way to the client, byte for byte. Beside it its usage is read. When the client takes no more the provider
 * is stopped, and nothing is kept but the event under way.
 */
export class Answer implements CallAnswer {
  readonly seen: Seen = nothingSeen();
  readonly #protocol: Protocol;
  readonly #response: ServerResponse;
  readonly #withhold: boolean;
  readonly #clock: Clock;
  #flow: Flow | undefined;
  readonly #stall: Stall;
  #status = 0;
  #firstByteAt: number | undefined;
  #reader: MemberReader | undefined;
  #events: SseFilter | undefined;
  /** The latest piece of an answer that is no stream: the client has the whole of it only when it is settled. */
  #last: Buffer | undefined;

  /** @param withhold a usage chunk was asked for that the client did not ask for */
  constructor(protocol: Protocol, response: ServerResponse, withhold: boolean, clock: Clock) {
    this.#protocol = protocol;
    this.#response = response;
    this.#withhold = withhold;
    this.#clock = clock;
    this.#stall = new Stall(response, clock);
  }

  get status(): number {
    return this.#status;
  }

  get firstByteAt(): number | undefined {
    return this.#firstByteAt;
  }

  get stalledMs(): number {
    return this.#stall.longestMs;
  }

  start(status: number, headers: IncomingHttpHeaders, flow: Flow): void {
    this.#status = status;
    this.#flow = flow;
    const stream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
    const readable = (headers['content-encoding'] ?? 'identity') === 'identity';
    if (readable) this.#reader = new MemberReader(this.#protocol.paths);
    if (readable && stream && this.#reader) this.#events = new SseFilter(this.#reader, this.#event);
    this.#response.writeHead(status, headersToClient(headers, this.#events === undefined));
    if (stream) this.#response.flushHeaders();
  }

  readonly #event = () => {
    const found = this.#reader?.found;
    if (found === undefined || found.size === 0) return 'pass';
    this.#protocol.read(found, this.seen);
    return this.#withhold && this.#protocol.isUsageChunk(found) ? 'withhold' : 'pass';
  };

  data(chunk: Buffer): void {
    this.#firstByteAt ??= this.#clock.now();
    if (this.#events !== undefined) {
      this.#write(this.#events.write(chunk));
      return;
    }
    this.#reader?.write(chunk);
    if (this.#last !== undefined) this.#write([this.#last]);
    this.#last = chunk;
  }

  #write(pieces: readonly Buffer[]): void {
    if (pieces.length === 0 || this.#response.destroyed) return;
    // One write: a corked response may never tell that it drained.
    const room = this.#response.write(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
    if (!room && this.#flow) this.#stall.begin(this.#flow);
  }

  whole(): void {
    if (this.#events !== undefined) {
      this.#write(this.#events.end());
      if (this.#protocol.finalAtEnd && this.seen.usage !== undefined) this.seen.final = true;
    } else if (this.#reader !== undefined && this.#status > 0) {
      this.#protocol.read(this.#reader.found, this.seen);
      this.seen.final = this.seen.usage !== undefined;
    }
  }

  /** Whether the provider closed a stream properly, but before the event with which it ends. */
  get cutShort(): boolean {
    const { ended, error } = this.seen;
    return this.#events !== undefined && !this.#protocol.finalAtEnd && !ended && error === undefined;
  }

  end(): void {
    this.#response.end(this.#last);
  }

  /** Ends an answer that broke off: a stream with the protocol's error event, anything else by a broken connection. */
  breakOff(error: WireError): void {
    if (this.#events === undefined || this.#events.inEvent) this.#response.destroy();
    else this.#response.end(this.#protocol.errorEvent(error, this.seen));
  }
}

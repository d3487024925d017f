import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { FoundValues } from '../json/found.ts';
import { MemberReader } from '../json/member-reader.ts';
import { nothingSeen, type Protocol, type Seen, type WireError } from '../protocols/protocol.ts';
import { TranslationError } from '../translate/fields.ts';
import type { StreamTranslation } from '../translate/stream-translation.ts';
import type { Translation } from '../translate/translator.ts';
import type { CallAnswer } from './answer.ts';
import { sendError, sendJson } from './http.ts';
import type { Clock } from './ports.ts';
import { type Flow, Stall } from './stall.ts';
import { headersToClient } from './wire-headers.ts';

/** A whole answer has to be read before it is translated; a longer one is none. */
const MAX_WHOLE = 64 * 1024 * 1024;

interface Ends {
  /** What the provider speaks. */
  readonly provider: Protocol;
  /** What the client speaks. */
  readonly client: Protocol;
  readonly response: ServerResponse;
}

/**
 * One answer on its way to a client that speaks another protocol. What it cost is read from what the provider
 * said, as where that is passed on. When the client takes no more of a stream the provider is stopped.
 */
export class TranslatedAnswer implements CallAnswer {
  readonly seen: Seen = nothingSeen();
  readonly #ends: Ends;
  readonly #translation: Translation;
  readonly #clock: Clock;
  readonly #reader: MemberReader;
  readonly #stall: Stall;
  #flow: Flow | undefined;
  #status = 0;
  #firstByteAt: number | undefined;
  #stream: StreamTranslation | undefined;
  #body: Buffer[] = [];
  #bytes = 0;
  /** The whole answer as the client gets it. */
  #text: string | undefined;

  constructor(ends: Ends, translation: Translation, clock: Clock) {
    this.#ends = ends;
    this.#translation = translation;
    this.#clock = clock;
    this.#stall = new Stall(ends.response, clock);
    this.#reader = new MemberReader(ends.provider.paths);
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
    if (!/^text\/event-stream\b/i.test(headers['content-type'] ?? '')) return;
    const { response, provider } = this.#ends;
    this.#stream = this.#translation.stream((event) => provider.read(new FoundValues(event), this.seen));
    response.writeHead(status, headersToClient(headers, false));
    response.flushHeaders();
  }

  data(chunk: Buffer): void {
    this.#firstByteAt ??= this.#clock.now();
    if (this.#stream !== undefined) {
      this.#write(this.#stream.write(chunk));
      return;
    }
    this.#reader.write(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= MAX_WHOLE) this.#body.push(chunk);
  }

  #write(piece: Buffer): void {
    const { response } = this.#ends;
    if (piece.length === 0 || response.destroyed) return;
    if (!response.write(piece) && this.#flow) this.#stall.begin(this.#flow);
  }

  whole(): void {
    const { provider } = this.#ends;
    if (this.#stream !== undefined) {
      this.#write(this.#stream.end());
      if (provider.finalAtEnd && this.seen.usage !== undefined) this.seen.final = true;
    } else if (this.#status > 0) {
      provider.read(this.#reader.found, this.seen);
      this.seen.final = this.seen.usage !== undefined;
      this.#text = this.#translated();
    }
  }

  /** Undefined: the answer is none that can be told to the client. */
  #translated(): string | undefined {
    if (this.#bytes > MAX_WHOLE) return undefined;
    try {
      return this.#translation.answer(Buffer.concat(this.#body));
    } catch (error) {
      if (!(error instanceof TranslationError)) throw error;
      this.seen.error ??= error.message;
      return undefined;
    }
  }

  get cutShort(): boolean {
    if (this.#stream !== undefined) return this.#stream.failure !== undefined;
    return this.#status > 0 && this.#text === undefined && this.seen.error === undefined;
  }

  end(): void {
    const { response, client } = this.#ends;
    if (this.#stream !== undefined) response.end();
    else if (this.#text !== undefined) sendJson(response, this.#status, this.#text);
    else {
      const message = `the provider's answer can't be told: ${this.seen.error ?? 'it is too long'}`;
      sendError(response, client, { kind: 'provider', status: 502, message });
    }
  }

  breakOff(error: WireError): void {
    const { response, client } = this.#ends;
    if (this.#stream !== undefined) response.end(this.#stream.fail(error.message));
    else sendError(response, client, error);
  }
}

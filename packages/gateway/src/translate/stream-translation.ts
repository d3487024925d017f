import type { EventReader, EventWriter } from './codec.ts';
import type { ReplyEvent } from './conversation.ts';
import { SseCutter, StreamFault } from './sse.ts';

/**
 * A provider's stream as it becomes the client's, event by event: of what was not translated yet at most one event is kept.
 * The client's stream ends once: with the answer's end, or with an error in its protocol's own shape.
 */
export class StreamTranslation {
  readonly #reader: EventReader;
  readonly #raise: (event: ReplyEvent) => ReplyEvent[];
  readonly #writer: EventWriter;
  readonly #cutter = new SseCutter();
  #out = '';
  #over = false;
  #failure: string | undefined;

  constructor(reader: EventReader, raise: (event: ReplyEvent) => ReplyEvent[], writer: EventWriter) {
    this.#reader = reader;
    this.#raise = raise;
    this.#writer = writer;
  }

  /** Why the answer is not whole, although the provider said nothing of it; undefined: it is, or is under way. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Takes the next bytes of the provider; returns what goes to the client now. */
  write(chunk: Buffer): Buffer {
    return this.#guarded(() => {
      for (const data of this.#cutter.write(chunk)) this.#write(this.#reader.read(data));
    });
  }

  /** The provider's stream is over. */
  end(): Buffer {
    return this.#guarded(() => {
      for (const data of this.#cutter.end()) this.#write(this.#reader.read(data));
      this.#write(this.#reader.end());
      if (!this.#over) throw new StreamFault('the stream ended before the answer did');
    });
  }

  /** The provider broke off; `message` is for the client. */
  fail(message: string): Buffer {
    this.#write([{ event: 'error', error: { kind: 'server', message } }]);
    return this.#take();
  }

  #write(events: readonly ReplyEvent[]): void {
    for (const event of events.flatMap(this.#raise)) {
      if (this.#over) return;
      this.#over = event.event === 'end' || event.event === 'error';
      this.#out += this.#writer.write(event);
    }
  }

  #take(): Buffer {
    const out = Buffer.from(this.#out);
    this.#out = '';
    return out;
  }

  #guarded(translate: () => void): Buffer {
    try {
      if (!this.#over) translate();
      return this.#take();
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      this.#failure = error.message;
      return this.fail(error.message);
    }
  }
}

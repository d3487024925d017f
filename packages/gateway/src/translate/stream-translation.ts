import type { EventReader, EventWriter, StreamEvent } from './codec.ts';
import type { ReplyEvent } from './conversation.ts';
import { type EventData, eventObject, SseCutter, StreamFault } from './sse.ts';

/** What OpenAI's Chat Completions end with, and some servers of other protocols. */
const LAST_DATA = '[DONE]';

/** The ways of an event from the provider to the client. */
interface Ways {
  readonly watch: (event: StreamEvent) => void;
  readonly reader: EventReader;
  readonly raise: (event: ReplyEvent) => ReplyEvent[];
  readonly writer: EventWriter;
}

/**
 * A provider's stream as it becomes the client's, event by event: of what was not translated yet at most one event is kept.
 * The client's stream ends once: with the answer's end, or with an error in its protocol's own shape. What the provider sends
 * after that is watched still.
 */
export class StreamTranslation {
  readonly #ways: Ways;
  readonly #cutter = new SseCutter();
  #out = '';
  #over = false;
  #failure: string | undefined;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  /** Why the answer is not whole, although the provider said nothing of it; undefined: it is, or is under way. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Takes the next bytes of the provider; returns what goes to the client now. */
  write(chunk: Buffer): Buffer {
    for (const data of this.#cutter.write(chunk)) this.#guarded(() => this.#event(data));
    return this.#take();
  }

  /** The provider's stream is over. */
  end(): Buffer {
    for (const data of this.#cutter.end()) this.#guarded(() => this.#event(data));
    this.#guarded(() => {
      this.#write(this.#ways.reader.end());
      if (!this.#over) throw new StreamFault('the stream ended before the answer did');
    });
    return this.#take();
  }

  /** The provider broke off; `message` is for the client. */
  fail(message: string): Buffer {
    this.#write([{ event: 'error', error: { kind: 'server', message } }]);
    return this.#take();
  }

  #event(data: EventData): void {
    const { reader, watch } = this.#ways;
    if (typeof data === 'string' && data.trim() === LAST_DATA) {
      this.#write(reader.end());
      return;
    }
    const event = eventObject(data);
    watch(event);
    if (!this.#over) this.#write(reader.read(event));
  }

  #write(events: readonly ReplyEvent[]): void {
    for (const said of events) {
      for (const event of this.#ways.raise(said)) {
        if (this.#over) return;
        this.#over = event.event === 'end' || event.event === 'error';
        this.#out += this.#ways.writer.write(event);
      }
    }
  }

  #take(): Buffer {
    const out = Buffer.from(this.#out);
    this.#out = '';
    return out;
  }

  /** What is no event ends the client's stream, unless that is over. */
  #guarded(translate: () => void): void {
    try {
      translate();
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error;
      if (this.#over) return;
      this.#failure = error.message;
      this.#write([{ event: 'error', error: { kind: 'server', message: error.message } }]);
    }
  }
}

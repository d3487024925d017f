import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ExchangeRecorder } from './exchange-recorder.ts';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];
type HeadArguments = [headers?: Headers] | [message?: string, headers?: Headers];

/** A client waits no longer for its exchange to be recorded. Milliseconds. */
const LONGEST_WAIT = 2000;

/**
 * An answer that can be recorded as it goes out. The client has its end when the exchange is in the recording: what a client
 * has seen whole is not lost with this process.
 */
export class RecordedResponse extends ServerResponse<IncomingMessage> {
  #recorder: ExchangeRecorder | undefined;
  #ending = false;
  /** It was destroyed from this side. */
  #cut = false;

  /** What is written from here on goes to the recorder, too. */
  recordWith(recorder: ExchangeRecorder): void {
    this.#recorder = recorder;
    this.once('close', () => {
      if (!this.#ending) void recorder.end(this.#cut ? 'broken' : 'client_gone');
    });
  }

  get recorder(): ExchangeRecorder | undefined {
    return this.#recorder;
  }

  override writeHead(status: number, ...rest: HeadArguments): this {
    const headers = rest.at(-1);
    if (typeof headers === 'object') this.#recorder?.head(status, written(headers));
    return super.writeHead(status, ...(rest as [Headers?]));
  }

  override write(chunk: string | Buffer): boolean {
    const room = super.write(chunk);
    const wait = this.#recorder?.data(bytesOf(chunk));
    if (wait === undefined) return room;
    void wait.then(() => this.emit('drain'));
    return false;
  }

  override end(chunk?: string | Buffer | (() => void)): this {
    if (typeof chunk === 'function') return super.end(chunk);
    if (this.#recorder === undefined || this.#ending) return this.#finish(chunk);
    this.#ending = true;
    if (chunk !== undefined) void this.#recorder.data(bytesOf(chunk));
    const late = setTimeout(() => this.#finish(chunk), LONGEST_WAIT);
    void this.#recorder.end('whole').then(() => {
      clearTimeout(late);
      this.#finish(chunk);
    });
    return this;
  }

  override destroy(error?: Error): this {
    this.#cut = true;
    return super.destroy(error);
  }

  #finish(chunk: string | Buffer | undefined): this {
    return this.destroyed || this.writableEnded ? this : super.end(chunk);
  }
}

function bytesOf(chunk: string | Buffer): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** As an object: the gateway writes its headers so. */
function written(headers: Headers): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) all[name] = typeof value === 'number' ? String(value) : value;
  return all;
}

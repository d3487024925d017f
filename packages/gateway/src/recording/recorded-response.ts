import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ExchangeRecorder } from './exchange-recorder.ts';

/** An answer's last bytes, where they are fewer, are written together with its headers: as text they are put behind them. */
const ONE_WRITE = 16 * 1024;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];
type HeadArguments = [headers?: Headers] | [message?: string, headers?: Headers];

/**
 * An answer that can be recorded as it goes out. The client has its end when the exchange is in the recording: what a client
 * has seen whole is not lost with this process.
 */
export class RecordedResponse extends ServerResponse<IncomingMessage> {
  #recorder: ExchangeRecorder | undefined;
  /** It was destroyed from this side. */
  #cut = false;

  /** What is written from here on goes to the recorder, too. */
  recordWith(recorder: ExchangeRecorder): void {
    this.#recorder = recorder;
    this.once('close', () => recorder.end(this.#cut ? 'broken' : 'client_gone'));
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
    this.#recorder?.data(bytesOf(chunk));
    return super.write(chunk);
  }

  override end(chunk?: string | Buffer | (() => void)): this {
    if (typeof chunk === 'function') return super.end(chunk);
    if (chunk !== undefined) this.#recorder?.data(bytesOf(chunk));
    this.#recorder?.end('whole');
    if (chunk instanceof Buffer && chunk.length < ONE_WRITE) return super.end(chunk.toString('latin1'), 'latin1');
    return super.end(chunk);
  }

  override destroy(error?: Error): this {
    this.#cut = true;
    return super.destroy(error);
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

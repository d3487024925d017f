import type { IncomingMessage } from 'node:http';
import { DaemonError } from '../daemon-error.ts';

/** Most bytes of a request's body. */
const MAX_BODY_BYTES = 1024 * 1024;

/** One request. */
export class Call {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** What stands in place of the `{names}` of the route. */
  readonly params: Readonly<Record<string, string>>;
  /** Fires when the caller has gone away before it was answered. */
  readonly signal: AbortSignal;
  readonly #request: IncomingMessage;
  readonly #query: URLSearchParams;

  constructor(request: IncomingMessage, params: Readonly<Record<string, string>>, signal: AbortSignal) {
    const { method = '', url = '' } = request;
    this.#request = request;
    this.#query = new URLSearchParams(url.slice(pathOf(url).length + 1));
    this.method = method;
    this.path = pathOf(url);
    this.params = params;
    this.signal = signal;
  }

  query(name: string): string | undefined {
    return this.#query.get(name) ?? undefined;
  }

  /** A header by its name in lower case; several of one name are joined. */
  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /**
   * The request's body, which must be JSON.
   * @throws DaemonError `invalid_request`
   */
  async body(): Promise<unknown> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.#request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES)
        throw new DaemonError('invalid_request', `the body is larger than ${MAX_BODY_BYTES} bytes`);
      chunks.push(chunk);
    }
    try {
      return JSON.parse(Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      throw new DaemonError('invalid_request', `the body is not JSON: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** The path of a request's target, as it was sent. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

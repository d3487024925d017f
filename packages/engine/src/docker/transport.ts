import { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import Modem from 'docker-modem';
import { EngineError } from '../errors.ts';
import type { ByteSource, CallOptions } from '../port.ts';
import type { EngineAddress } from './address.ts';
import { Deadline, type Limit } from './deadline.ts';
import { LIMIT } from './limits.ts';
import { SourceFailure, toEngineError } from './transport-error.ts';

/** One request. `operation` is the phrase that errors begin with. */
export interface EngineCall {
  operation: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  body?: object;
  upload?: ByteSource;
  headers?: Readonly<Record<string, string | string[]>>;
}

/** An answer as it comes; reading it to the end or returning early frees the connection. */
export type AnswerStream = AsyncGenerator<Buffer, void, undefined>;

/** Speaks HTTP with one engine: bounded in time, with errors of one kind, over kept connections. */
export class Transport {
  readonly address: string;
  readonly #modem: Modem;
  readonly #agent: HttpAgent;
  readonly #closed = new AbortController();

  constructor(address: EngineAddress, apiVersion: string | undefined) {
    this.address = address.display;
    const tls = 'host' in address ? address.tls : undefined;
    this.#agent = tls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
    // The client words each request for its debug log whether or not there is one, and with it every open socket of the agent.
    Object.defineProperty(this.#agent, inspect.custom, { value: () => 'Agent' });
    // The client reads DOCKER_HOST and its like by itself; each of them is said here so that none slips in.
    this.#modem = new Modem({
      socketPath: 'socketPath' in address ? address.socketPath : undefined,
      host: 'host' in address ? address.host : undefined,
      port: 'host' in address ? address.port : undefined,
      protocol: tls ? 'https' : 'http',
      ca: tls?.ca,
      cert: tls?.cert,
      key: tls?.key,
      timeout: undefined,
      version: apiVersion === undefined ? undefined : `v${apiVersion}`,
      agent: this.#agent,
    });
  }

  /** The whole answer, parsed; `undefined` when it is empty. Uploads count as progress, the answer must follow in time. */
  async json<T>(call: EngineCall, options: CallOptions = {}, defaultMs: number = LIMIT.query): Promise<T> {
    const ms = options.timeoutMs ?? defaultMs;
    const chunks: Buffer[] = [];
    const limit = call.upload ? { idleMs: ms } : { totalMs: ms };
    for await (const chunk of await this.stream(call, limit, options.signal)) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    try {
      return (text.trim() === '' ? undefined : JSON.parse(text)) as T;
    } catch (cause) {
      throw new EngineError('refused', { operation: call.operation, detail: `not JSON: ${text.slice(0, 200)}`, cause });
    }
  }

  /** Like `json`, with `undefined` where the engine has no such object. */
  async find<T>(call: EngineCall, options: CallOptions = {}): Promise<T | undefined> {
    try {
      return await this.json<T>(call, options);
    } catch (error) {
      if (error instanceof EngineError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** Resolves when the engine has begun to answer, which has a limit even where the stream has none. */
  async stream(call: EngineCall, limit: Limit, signal: AbortSignal | undefined): Promise<AnswerStream> {
    const deadline = this.#deadline({ idleMs: LIMIT.query, ...limit }, signal);
    const exchange = this.#exchange(call, deadline);
    try {
      const response = await exchange.answer(false);
      if (!(response instanceof IncomingMessage)) throw new TypeError('not an HTTP answer');
      deadline.allowIdle(limit.idleMs);
      return this.#chunks(response, exchange, deadline);
    } catch (error) {
      deadline.release();
      throw exchange.failure(error);
    }
  }

  /** The raw connection after the engine has switched protocols. The caller ends it. */
  async hijack(call: EngineCall, options: CallOptions = {}): Promise<Socket> {
    const deadline = this.#deadline({ totalMs: options.timeoutMs ?? LIMIT.query }, options.signal);
    const exchange = this.#exchange(call, deadline);
    try {
      const socket = await exchange.answer(true);
      if (socket instanceof Socket) return socket;
      throw new EngineError('refused', { operation: call.operation, detail: 'the engine did not switch protocols' });
    } catch (error) {
      throw exchange.failure(error);
    } finally {
      deadline.release();
    }
  }

  close(): void {
    this.#closed.abort();
    this.#agent.destroy();
  }

  #deadline(limit: Limit, signal: AbortSignal | undefined): Deadline {
    return new Deadline(limit, signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal);
  }

  #exchange(call: EngineCall, deadline: Deadline): Exchange {
    return new Exchange(this.#modem, this.address, call, deadline);
  }

  async *#chunks(response: IncomingMessage, exchange: Exchange, deadline: Deadline): AnswerStream {
    try {
      for await (const chunk of response) {
        deadline.pause();
        yield chunk;
        deadline.progress();
      }
    } catch (error) {
      throw exchange.failure(error);
    } finally {
      deadline.release();
      exchange.end();
      response.destroy();
    }
  }
}

/** One request on its way. The data to send is read on while the answer comes: builds report before they have it all. */
class Exchange {
  readonly #modem: Modem;
  readonly #address: string;
  readonly #call: EngineCall;
  readonly #deadline: Deadline;
  readonly #upload: Readable | undefined;
  #sourceFailure: SourceFailure | undefined;

  constructor(modem: Modem, address: string, call: EngineCall, deadline: Deadline) {
    this.#modem = modem;
    this.#address = address;
    this.#call = call;
    this.#deadline = deadline;
    this.#upload = call.upload && Readable.from(this.#watched(call.upload), { objectMode: false });
  }

  async answer(hijack: boolean): Promise<unknown> {
    const { signal } = this.#deadline;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const stopWaiting = () => reject(signal.reason);
    signal.addEventListener('abort', stopWaiting, { once: true });
    this.#modem.dial(
      {
        path: `${this.#call.path}?`,
        method: this.#call.method,
        headers: { ...this.#call.headers },
        options: { _query: given(this.#call.query ?? {}), _body: this.#call.body ?? {} },
        ...(this.#upload && { file: this.#upload }),
        // Without a length the client would send a chunked body, whose end the other protocol would read as its begin.
        ...(hijack && !this.#call.body && { file: Buffer.alloc(0) }),
        hijack,
        isStream: true,
        statusCodes: SUCCESS,
        abortSignal: signal,
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    );
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', stopWaiting);
    }
  }

  failure(error: unknown): unknown {
    this.end();
    return toEngineError(this.#sourceFailure ?? error, {
      operation: this.#call.operation,
      address: this.#address,
      deadline: this.#deadline,
    });
  }

  /** Nothing more is sent. */
  end(): void {
    this.#upload?.destroy();
  }

  async *#watched(source: ByteSource): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source) {
        this.#deadline.progress();
        yield chunk;
      }
    } catch (cause) {
      this.#sourceFailure = new SourceFailure(cause);
      throw this.#sourceFailure;
    }
  }
}

/** 304: it was in the wanted state before. */
const SUCCESS = { 200: true, 201: true, 204: true, 304: true };

/** The client would send an undefined parameter as an empty one. */
function given(query: object): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

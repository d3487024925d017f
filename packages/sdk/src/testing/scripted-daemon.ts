import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { ApiErrorCode } from '@ssebench/contracts/daemon-api';

/** What a scripted route answers: a body, an error code, silence, or a connection that breaks. */
export type Answer =
  | { body: unknown }
  | { code: ApiErrorCode; error: string; status?: number }
  | { raw: string; status?: number }
  | 'silence'
  | 'break'
  /** The daemon's process is killed. */
  | 'die';

export interface Call {
  /** `POST /tool/bencher?action=build`. */
  route: string;
  body: unknown;
}

/** Answers by route; a list is used up one call after the other, its last answer stays. */
export type Script = Record<string, Answer | Answer[] | ((body: unknown) => Answer)>;

/** A real HTTP server on a real Unix socket that answers by a script: the daemon's side of a conversation. */
export class ScriptedDaemon {
  readonly calls: Call[] = [];
  readonly socketPath: string;
  readonly #script: Script;
  readonly #onCall: (call: Call) => void;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(socketPath: string, script: Script, onCall: (call: Call) => void = () => undefined) {
    this.socketPath = socketPath;
    this.#script = script;
    this.#onCall = onCall;
  }

  async listen(): Promise<this> {
    await once(this.#server.listen(this.socketPath), 'listening');
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await this.#server[Symbol.asyncDispose]();
  }

  /** The routes that were called, in order, without those that only publish. */
  get routes(): string[] {
    return this.calls.map(({ route }) => route).filter((route) => route !== 'POST /admin/events');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url}`;
    const body = request.method === 'POST' ? await json(request) : undefined;
    this.calls.push({ route, body });
    this.#onCall({ route, body });
    const answer = this.#answer(route, body);
    if (answer === 'silence') return;
    if (answer === 'die') process.kill(process.pid, 'SIGKILL');
    if (answer === 'break' || answer === 'die') {
      request.socket.destroy();
      return;
    }
    const status = 'body' in answer ? 200 : (answer.status ?? 500);
    response.writeHead(status, { 'content-type': 'application/json' });
    if ('raw' in answer) response.end(answer.raw);
    else response.end(JSON.stringify('body' in answer ? answer.body : { error: answer.error, code: answer.code }));
  }

  #answer(route: string, body: unknown): Answer {
    const scripted = this.#script[route];
    if (typeof scripted === 'function') return scripted(body);
    if (Array.isArray(scripted)) return (scripted.length > 1 ? scripted.shift() : scripted[0]) ?? notFound(route);
    if (scripted) return scripted;
    return route === 'POST /admin/events' ? { body: { success: true } } : notFound(route);
  }
}

function notFound(route: string): Answer {
  return { code: 'not_found', error: `no answer scripted for ${route}`, status: 404 };
}

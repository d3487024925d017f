import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answer.ts';
import { Call, pathOf } from './call.ts';

/** Answers the calls of one route. */
export type CallHandler = (call: Call) => Answer | Promise<Answer>;

export interface HttpRoute {
  method: string;
  /** `{name}` stands for one part of a path. */
  path: string;
  handle: CallHandler;
}

interface Application {
  routes: readonly HttpRoute[];
  /** What a call gets that no route is for. */
  notFound(method: string, path: string): Answer;
  /** What a call gets whose handler threw. */
  failed(error: unknown, call: Call): Answer;
}

/**
 * An HTTP server on Node's own, not listening yet. Frameworks on the web's `Request` and `Response` cost every container
 * 50 ms to load, which a run waits for twice.
 */
export function httpServer({ routes, notFound, failed }: Application): Server {
  const matchers = routes.map(({ method, path, handle }) => ({ method, pattern: patternOf(path), handle }));
  return createServer((request, response) => {
    const { method = '', url = '' } = request;
    const path = pathOf(url);
    // The server leaves the body of an answer to HEAD out by itself.
    const wanted = method === 'HEAD' ? 'GET' : method;
    for (const route of matchers) {
      const match = route.method === wanted ? route.pattern.exec(path) : null;
      if (!match) continue;
      const call = new Call(request, decoded(match.groups), goneSignal(response));
      void answer(call, request, response, route.handle, failed);
      return;
    }
    void send(notFound(method, path), request, response);
  });
}

async function answer(
  call: Call,
  request: IncomingMessage,
  response: ServerResponse,
  handle: CallHandler,
  failed: Application['failed'],
): Promise<void> {
  let reply: Answer;
  try {
    reply = await handle(call);
  } catch (error) {
    reply = failed(error, call);
  }
  await send(reply, request, response);
}

async function send({ status, headers, body }: Answer, request: IncomingMessage, response: ServerResponse) {
  // A body that nobody read is not waited for, so that nothing of it is taken for the next request.
  const unread = request.complete ? {} : { connection: 'close' };
  const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
  response.writeHead(status, { ...headers, ...length, ...unread });
  if (typeof body === 'string') return void response.end(body);
  response.flushHeaders();
  // One that breaks cuts the connection: the caller sees that it is not whole. So does a caller that goes away.
  await pipeline(Readable.from(body, { objectMode: false }), response).catch(() => response.destroy());
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

function decoded(groups: Record<string, string> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(groups ?? {}).map(([name, value]) => [name, decode(value)]));
}

/** What is not encoded as it should be stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

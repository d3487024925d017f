/**
 * A provider that costs next to no time: HTTP by hand on `node:net`, answers made ahead. The first part of a path says what
 * comes: `/small`, `/stream` (an event every 10 ms), `/slow` (one every 250 ms), `/flood` (1 MB of events as fast as they are
 * taken), `/large` (100 MB that are no stream).
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Api, events, wholeAnswer } from './exchanges.ts';
import { serveOrders } from './worker.ts';

/** Asks the provider to listen. */
export type ListenOrder = Record<string, never>;
export interface Listening {
  port: number;
}

const LARGE_BYTES = 100_000_000;
const PIECE = Buffer.alloc(64 * 1024, 'a');
const FLOOD_EVENTS = 5_000;
const FAST_MS = 10;
const SLOW_MS = 250;

const EVENT_STREAM = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const chunked = (text: string) => Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
const json = (length: number) =>
  Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`);

function made(api: Api) {
  const whole = Buffer.from(wholeAnswer(api));
  const [before = '', after = ''] = wholeAnswer(api, '\n').split('\\n');
  return {
    small: Buffer.concat([json(whole.length), whole]),
    stream: events(api, 15).map(chunked),
    flood: events(api, FLOOD_EVENTS).map(chunked),
    large: { before: Buffer.from(before), after: Buffer.from(after) },
  };
}
const ANSWERS = { messages: made('messages'), chat: made('chat') };

/** The streams under way, by how often an event is due. */
const due = { [FAST_MS]: new Set<() => void>(), [SLOW_MS]: new Set<() => void>() };
for (const ms of [FAST_MS, SLOW_MS] as const) {
  setInterval(() => {
    for (const next of due[ms]) next();
  }, ms).unref();
}

function sendEvents(socket: Socket, pieces: readonly Buffer[], ms: typeof FAST_MS | typeof SLOW_MS): void {
  const first = Buffer.concat([Buffer.from(EVENT_STREAM), pieces[0] ?? LAST_CHUNK]);
  socket.write(first);
  let at = 1;
  const next = () => {
    const piece = pieces[at++];
    socket.write(piece ?? LAST_CHUNK);
    if (piece === undefined || socket.destroyed) due[ms].delete(next);
  };
  due[ms].add(next);
}

/** Resolves when the socket takes more, or is closed. */
function room(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      socket.off('drain', end).off('close', end);
      resolve();
    };
    socket.on('drain', end).on('close', end);
  });
}

async function sendAll(socket: Socket, head: Buffer, pieces: Iterable<Buffer>): Promise<void> {
  socket.write(head);
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (!socket.write(piece)) await room(socket);
  }
}

function* large({ before, after }: { before: Buffer; after: Buffer }): Generator<Buffer> {
  yield before;
  for (let left = LARGE_BYTES; left > 0; left -= PIECE.length) yield PIECE.subarray(0, left);
  yield after;
}

function answer(socket: Socket, path: string): void {
  const made = ANSWERS[path.includes('/messages') ? 'messages' : 'chat'];
  if (path.startsWith('/small')) socket.write(made.small);
  else if (path.startsWith('/stream')) sendEvents(socket, made.stream, FAST_MS);
  else if (path.startsWith('/slow')) sendEvents(socket, made.stream, SLOW_MS);
  else if (path.startsWith('/flood')) void sendAll(socket, Buffer.from(EVENT_STREAM), [...made.flood, LAST_CHUNK]);
  else {
    const { before, after } = made.large;
    void sendAll(socket, json(before.length + LARGE_BYTES + after.length), large(made.large));
  }
}

function serve(socket: Socket): void {
  let held = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const end = held.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = held.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const chunks = length === 0 && /transfer-encoding: chunked/i.test(head);
    if (chunks ? !held.subarray(-5).equals(LAST_CHUNK) : held.length < end + 4 + length) return;
    held = Buffer.alloc(0);
    answer(socket, head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/')));
  });
}

serveOrders<ListenOrder, Listening>(async () => {
  const server = createServer({ noDelay: true }, serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0 };
});

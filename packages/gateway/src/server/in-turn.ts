import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection. A client that sends ahead waits for an answer now and then. */
const MOST_AHEAD = 16;

const ahead = new WeakMap<Socket, number>();

/**
 * Answers the requests of a connection one after the other: one that was sent before the answer to the one before it (pipelining)
 * is begun when that is out, and never if its client is gone by then. A connection with too many of them is closed.
 */
export function inTurn(response: ServerResponse, answer: () => void): void {
  if (response.socket !== null) {
    answer();
    return;
  }
  const { socket } = response.req;
  const waiting = (ahead.get(socket) ?? 0) + 1;
  if (waiting > MOST_AHEAD) {
    socket.destroy();
    return;
  }
  ahead.set(socket, waiting);
  response.once('socket', () => {
    ahead.set(socket, (ahead.get(socket) ?? 1) - 1);
    answer();
  });
}

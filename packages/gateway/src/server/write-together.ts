import type { Socket } from 'node:net';

let waiting: (() => void)[] = [];

function sendAll(): void {
  const now = waiting;
  waiting = [];
  for (const send of now) send();
}

/**
 * What is written to this socket goes out when the present turn has done all its work, with what it wrote to other sockets:
 * calls whose reservations share a commit also share the time at which others are woken up for them.
 */
export function writeTogether<Kind extends Socket>(socket: Kind): Kind {
  joinSmallWrites(socket);
  const uncork = socket.uncork.bind(socket);
  let isWaiting = false;
  const send = () => {
    isWaiting = false;
    uncork();
  };
  socket.uncork = () => {
    if (isWaiting) return uncork();
    isWaiting = true;
    if (waiting.push(send) === 1) process.nextTick(sendAll);
  };
  return socket;
}

/** A few small pieces that are written at a time. Node.js copies them, too, and takes longer. Bytes. */
const SMALL = 16 * 1024;

interface Piece {
  readonly chunk: string | Buffer;
  readonly encoding: BufferEncoding;
}

/** Has a socket write small pieces as one. */
function joinSmallWrites(socket: Socket): void {
  const { _writev: many } = socket;
  if (many === undefined) return;
  socket._writev = (pieces, callback) => {
    const text = joined(pieces as readonly Piece[]);
    if (text === undefined) many.call(socket, pieces, callback);
    else socket._write(text, 'latin1', callback);
  };
}

/** The bytes of all as text, a character each; undefined: they are too many, or text that is none. */
function joined(pieces: readonly Piece[]): string | undefined {
  let text = '';
  for (const { chunk, encoding } of pieces) {
    if (text.length + chunk.length > SMALL) return undefined;
    if (typeof chunk !== 'string') text += chunk.toString('latin1');
    else if (encoding === 'latin1') text += chunk;
    else return undefined;
  }
  return text;
}

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

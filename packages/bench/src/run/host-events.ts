import { lstat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { RunEvent } from '@ssebench/contracts/events';

/** How often we look whether the container serves its socket yet, in milliseconds. */
const CONNECT_INTERVAL = 15;
/** A line longer than this is no event of ours; the stream is given up. Bytes. */
const MAX_LINE = 1024 * 1024;

/**
 * Reads what happens in a container from its host socket, from its start on, until the stream or `signal` ends it.
 * It only informs: whatever a container says or does not say here decides nothing, so nothing here throws.
 */
export async function followEvents(
  socket: string,
  onEvent: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const stream = (await isSocket(socket)) ? await open(socket, signal) : undefined;
    if (stream) return read(stream, onEvent);
    await delay(CONNECT_INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}

/** A link is refused: the container's root could point it at another socket of the host. */
async function isSocket(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSocket() ?? false;
}

function open(socketPath: string, signal: AbortSignal): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const call = request({ socketPath, path: '/events', signal, agent: false });
    call.once('response', (answer) => {
      if (answer.statusCode === 200) return resolve(answer);
      answer.resume();
      resolve(undefined);
    });
    call.once('error', () => resolve(undefined));
    call.end();
  });
}

async function read(stream: IncomingMessage, onEvent: (event: RunEvent) => void): Promise<void> {
  let rest = '';
  stream.setEncoding('utf8');
  try {
    for await (const chunk of stream) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event = parse(line);
        if (event) onEvent(event);
      }
      if (rest.length > MAX_LINE) return;
    }
  } catch {
    // The container ended, or we did: either way there is nothing more to tell.
  } finally {
    stream.destroy();
  }
}

function parse(line: string): RunEvent | undefined {
  if (!line.startsWith('data:')) return undefined;
  try {
    return RunEvent.safeParse(JSON.parse(line.slice('data:'.length))).data;
  } catch {
    return undefined;
  }
}

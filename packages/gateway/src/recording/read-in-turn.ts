import { open } from 'node:fs/promises';

/** Files of recordings that are about to be compressed are a little larger than a part. Bytes. */
const ROOM = 2 * 1024 * 1024;

let room: Buffer | undefined;
let latest: Promise<unknown> = Promise.resolve();

/**
 * Gives a file's bytes to `use`, in memory that the next file is read into: buffers of a megabyte each, many times a second, have the
 * collector begin again and again. One file at a time. @throws (rejects) Error of the system, or of `use`
 */
export function readInTurn<T>(path: string, use: (bytes: Buffer) => Promise<T>): Promise<T> {
  const turn = latest.then(() => read(path, use));
  latest = turn.catch(() => undefined);
  return turn;
}

async function read<T>(path: string, use: (bytes: Buffer) => Promise<T>): Promise<T> {
  await using file = await open(path);
  const { size } = await file.stat();
  const bytes = size <= ROOM ? sharedRoom() : Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  // Awaited here: while the file closes, nobody would take up that `use` failed, and the process would end.
  return await use(bytes.subarray(0, length));
}

function sharedRoom(): Buffer {
  room ??= Buffer.allocUnsafeSlow(ROOM);
  return room;
}

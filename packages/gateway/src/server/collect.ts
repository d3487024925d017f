/** A little more than what the pieces of small answers come to between two collections. */
const EVERY_BYTES = 2 * 1024 * 1024;

let bytes = 0;

/**
 * Tells of a piece of an answer that was passed on. It is garbage then, but it lies outside the heap, where hundreds of megabytes
 * do not make the collector begin: it is asked to, which takes it less than a millisecond. Does nothing in a process without
 * `--expose-gc`.
 */
export function passedOn(piece: Buffer): void {
  bytes += piece.length;
  if (bytes < EVERY_BYTES) return;
  bytes = 0;
  globalThis.gc?.({ type: 'minor' });
}

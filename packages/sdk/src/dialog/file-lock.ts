import { closeSync, lstatSync, openSync, rmSync } from 'node:fs';

/** How long to wait for another writer, and after which time a lock's owner is taken for dead. Milliseconds. */
const WAIT_MS = 2_000;
const STALE_MS = 1_000;
const PAUSE_MS = 2;

/**
 * Runs `work` while no other process that asks for the same lock does; after two seconds it runs all the same, since whoever
 * held the lock so long was ended in the middle. Blocks: what it is held for takes less than a millisecond.
 * @throws what `work` throws, and the file system's error when the lock can't be made
 */
export function withFileLock<T>(path: string, work: () => T): T {
  const owned = acquire(path);
  try {
    return work();
  } finally {
    if (owned) rmSync(path, { force: true });
  }
}

function acquire(path: string): boolean {
  const last = performance.now() + WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(path, 'wx', 0o644));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (performance.now() > last) return false;
    // Whatever stands there: the agent's own commands can put anything in its place.
    const madeAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (madeAt !== undefined && Math.abs(Date.now() - madeAt) > STALE_MS)
      rmSync(path, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

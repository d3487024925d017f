import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isEngineError } from '@ssebench/engine/errors';
import type { Part } from './results-place.ts';
import type { RunScene } from './run-scene.ts';

/**
 * Resolves when a container has left this file among its results, which is written whole, or when `signal` fires: for
 * where its events can't be heard. An engine that does not answer is asked again.
 */
export async function lookFor(
  { place, directory }: Pick<RunScene, 'place' | 'directory'>,
  part: Part,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await place.bring(part, [name]);
    } catch (error) {
      if (!isEngineError(error)) throw error;
    }
    if ((await lstat(join(directory[part], name)).catch(() => undefined))?.isFile()) return;
    await delay(place.lookInterval, undefined, { signal }).catch(() => undefined);
  }
}

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerLease } from './container-lease.ts';
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

/**
 * Tells a lease when the work of its container is done, which one that is kept can't tell where its events are not heard.
 * What keeps us from looking is met again when the results are read.
 */
export async function lookForEnd(scene: RunScene, part: Part, lease: ContainerLease): Promise<void> {
  const { socket_mounts, keep_container } = scene.course;
  if (socket_mounts || !keep_container) return;
  await lookFor(scene, part, RESULT_FILE.done, lease.watched).catch(() => undefined);
  lease.done();
}

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { isEngineError } from '@ssebench/engine/errors';
import type { VolumeInfo } from '@ssebench/engine/port';
import { extract } from 'tar-stream';
import type { ImageContext } from './context.ts';
import type { RuntimeContent, RuntimeIdentity } from './runtime.ts';

/**
 * A volume is filled by the engine, file by file, and a crash leaves it half full; nothing about the volume itself says so,
 * labels are given before. So each volume gets a random name for its filling (a label), its whole content is
 * compared once after that, and the host notes that name as good. A volume without the label was made by an engine that
 * missed it, one whose filling is not noted is compared again: the note only saves time.
 */
const FILLING = 'ssebench.filling';
/** Longest that another process may take to fill it before we take its place. */
const OTHERS_LIMIT_MS = 3 * 60 * 1000;
const RECHECK_MS = 250;
const START_LIMIT_MS = 60_000;

/** True when the volume is there and was found complete before. */
export async function hasRuntimeVolume(
  { engine, home, signal }: ImageContext,
  { volume }: RuntimeIdentity,
): Promise<boolean> {
  return isNoted(home, await engine.inspectVolume(volume, { signal }));
}

/**
 * The volume that holds the runtime, complete: filled when it isn't there, compared when nobody has yet, filled anew when
 * something is missing. Two processes at once don't disturb each other.
 * @throws FaultError when it is not complete even then
 */
export async function ensureRuntimeVolume(
  context: ImageContext,
  runtime: RuntimeIdentity,
  content: RuntimeContent,
): Promise<void> {
  const { engine, progress, signal, home } = context;
  progress.step('runtime volume');
  if (await hasRuntimeVolume(context, runtime)) return progress.done(true);
  const labels = { [LABEL.role]: 'runtime', [LABEL.key]: runtime.key };
  const deadline = performance.now() + OTHERS_LIMIT_MS;
  for (let attempt = 0; attempt < 2; ) {
    const filling = randomBytes(8).toString('hex');
    await engine.createVolume(runtime.volume, { ...labels, [FILLING]: filling }, { signal });
    const container = await tryCreateFiller(context, runtime);
    if (container === undefined) {
      await othersTurn(context, runtime, deadline);
      if (await hasRuntimeVolume(context, runtime)) return progress.done(false);
      if (performance.now() > deadline) attempt += 1;
      continue;
    }
    let complete: boolean;
    try {
      await engine.start(container, { signal });
      await engine.ended(container, { signal, timeoutMs: START_LIMIT_MS });
      complete = await isComplete(context, container, content);
    } finally {
      await engine.remove(container, { force: true });
    }
    const volume = await engine.inspectVolume(runtime.volume, { signal });
    const found = volume?.labels[FILLING];
    if (complete && found) {
      note(home, found);
      return progress.done(false);
    }
    progress.line(`volume ${runtime.volume} is not complete: filling it anew`);
    await removeIfUnused(context, runtime.volume);
    attempt += 1;
  }
  const remedy = `see what uses it: docker ps -a --filter volume=${runtime.volume}; then: docker volume rm ${runtime.volume}`;
  const detail = `runtime: volume ${runtime.volume} is not complete and can't be filled\n${remedy}`;
  throw new FaultError(fault('image_build_failed', detail, { blame: 'infra' }));
}

function fillerName({ hash }: RuntimeIdentity): string {
  return `ssebench-filler-${hash}`;
}

/** The container's name is the lock: an engine gives it to one only. `undefined`: another process has it. */
async function tryCreateFiller(
  { engine, signal }: ImageContext,
  runtime: RuntimeIdentity,
): Promise<string | undefined> {
  try {
    return await engine.createContainer(
      {
        image: runtime.image,
        name: fillerName(runtime),
        mounts: [{ type: 'volume', name: runtime.volume, target: CONTAINER.runtime, readOnly: false }],
        labels: { [LABEL.role]: 'runtime' },
        network: 'none',
        capabilities: [],
        noNewPrivileges: true,
      },
      { signal },
    );
  } catch (error) {
    if (isEngineError(error, 'conflict')) return undefined;
    throw error;
  }
}

/** Waits until the other process's container is gone; one that stays beyond the deadline has lost its owner. */
async function othersTurn({ engine, signal }: ImageContext, runtime: RuntimeIdentity, deadline: number): Promise<void> {
  const name = fillerName(runtime);
  while (await engine.inspectContainer(name, { signal })) {
    if (performance.now() > deadline) {
      await engine.remove(name, { force: true, signal });
      return;
    }
    await delay(RECHECK_MS, undefined, { signal });
  }
}

async function isComplete(
  { engine, signal }: ImageContext,
  container: string,
  content: RuntimeContent,
): Promise<boolean> {
  const missing = new Set(Object.keys(content));
  const tar = extract();
  const sent = pipeline(await engine.getArchive(container, CONTAINER.runtime, { signal }), tar);
  const compared = async () => {
    for await (const entry of tar) {
      const hash = createHash('sha256');
      await pipeline(entry, hash);
      const path = entry.header.name.replace(/^[^/]*\//, '');
      if (content[path] === hash.digest('hex')) missing.delete(path);
    }
  };
  await Promise.all([sent, compared()]);
  return missing.size === 0;
}

/** A volume that a container uses stays, and with it the problem: the second attempt tells. */
async function removeIfUnused({ engine, signal }: ImageContext, volume: string): Promise<void> {
  try {
    await engine.removeVolume(volume, { signal });
  } catch (error) {
    if (!isEngineError(error, 'conflict', 'not_found')) throw error;
  }
}

function isNoted(home: string, volume: VolumeInfo | undefined): boolean {
  const filling = volume?.labels[FILLING];
  return filling !== undefined && /^[0-9a-f]{16}$/.test(filling) && existsSync(notePath(home, filling));
}

function note(home: string, filling: string): void {
  const path = notePath(home, filling);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '');
}

function notePath(home: string, filling: string): string {
  return join(home, '.cache/volumes', filling);
}

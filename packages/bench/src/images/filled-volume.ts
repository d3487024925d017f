import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { isEngineError } from '@ssebench/engine/errors';
import type { VolumeInfo } from '@ssebench/engine/port';
import { extract } from 'tar-stream';
import type { ImageContext } from './context.ts';

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

/** Files by their path below a directory, with their SHA-256; of a link, what it says. */
export type VolumeContent = Readonly<Record<string, string>>;

/** A volume that holds what an image has in one directory. */
export interface FilledVolume {
  /** What a person calls it: `runtime volume`. */
  title: string;
  name: string;
  /** Beside the role: what the volume is found by. */
  labels: Readonly<Record<string, string>>;
  role: string;
  image: string;
  /** The directory, in the image and in the container that fills the volume. */
  directory: string;
  /** What that container runs, of the image: something that ends at once. */
  command: readonly [string, ...string[]];
  /** All that must be there. Asked for when it is to be compared. */
  content(): Promise<VolumeContent>;
}

/** True when the volume is there and was found complete before. */
export async function hasFilledVolume({ engine, home, signal }: ImageContext, name: string): Promise<boolean> {
  return isNoted(home, await engine.inspectVolume(name, { signal }));
}

/**
 * Sees to it that the volume is there and complete: filled when it isn't there, compared when nobody has yet, filled anew when
 * something is missing. Two processes at once don't disturb each other.
 * @throws FaultError when it is not complete even then
 */
export async function ensureFilledVolume(context: ImageContext, volume: FilledVolume): Promise<void> {
  const { engine, progress, signal, home } = context;
  const { title, name, role } = volume;
  progress.step(title);
  if (await hasFilledVolume(context, name)) return progress.done(true);
  const labels = { ...volume.labels, [LABEL.role]: role };
  const deadline = performance.now() + OTHERS_LIMIT_MS;
  for (let attempt = 0; attempt < 2; ) {
    const filling = randomBytes(8).toString('hex');
    await engine.createVolume(name, { ...labels, [FILLING]: filling }, { signal });
    const container = await tryCreateFiller(context, volume);
    if (container === undefined) {
      await othersTurn(context, volume, deadline);
      if (await hasFilledVolume(context, name)) return progress.done(false);
      if (performance.now() > deadline) attempt += 1;
      continue;
    }
    let complete: boolean;
    try {
      await engine.start(container, { signal });
      await engine.ended(container, { signal, timeoutMs: START_LIMIT_MS });
      const found = await contentOf(context, container, volume.directory);
      complete = Object.entries(await volume.content()).every(([path, digest]) => found[path] === digest);
    } finally {
      await engine.remove(container, { force: true });
    }
    const found = (await engine.inspectVolume(name, { signal }))?.labels[FILLING];
    if (complete && found) {
      note(home, found);
      return progress.done(false);
    }
    progress.line(`volume ${name} is not complete: filling it anew`);
    await removeIfUnused(context, name);
    attempt += 1;
  }
  const remedy = `see what uses it: docker ps -a --filter volume=${name}; then: docker volume rm ${name}`;
  const detail = `${title}: volume ${name} is not complete and can't be filled\n${remedy}`;
  throw new FaultError(fault('image_build_failed', detail, { blame: 'infra' }));
}

/** What a directory of a container holds, which need not run. */
export async function contentOf(
  { engine, signal }: ImageContext,
  container: string,
  directory: string,
): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  const tar = extract();
  const sent = pipeline(await engine.getArchive(container, directory, { signal }), tar);
  const read = async () => {
    for await (const entry of tar) {
      const { name, type, linkname = '' } = entry.header;
      const path = belowFirst(name);
      const hash = createHash('sha256');
      await pipeline(entry, hash);
      if (type === 'file') content[path] = hash.digest('hex');
      else if (type === 'link') content[path] = content[belowFirst(linkname)] ?? '';
      else if (type === 'symlink') content[path] = `-> ${linkname}`;
    }
  };
  await Promise.all([sent, read()]);
  return content;
}

/** Entries are named from the directory's own name on. */
function belowFirst(path: string): string {
  return path.replace(/^[^/]*\//, '');
}

function fillerName({ name }: FilledVolume): string {
  return name.replace(/^ssebench-(?:runtime-)?/, 'ssebench-filler-');
}

/** The container's name is the lock: an engine gives it to one only. `undefined`: another process has it. */
async function tryCreateFiller({ engine, signal }: ImageContext, volume: FilledVolume): Promise<string | undefined> {
  try {
    return await engine.createContainer(
      {
        image: volume.image,
        name: fillerName(volume),
        entrypoint: volume.command,
        cmd: [],
        user: '0:0',
        mounts: [{ type: 'volume', name: volume.name, target: volume.directory, readOnly: false }],
        labels: { [LABEL.role]: volume.role },
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
async function othersTurn({ engine, signal }: ImageContext, volume: FilledVolume, deadline: number): Promise<void> {
  const name = fillerName(volume);
  while (await engine.inspectContainer(name, { signal })) {
    if (performance.now() > deadline) {
      await engine.remove(name, { force: true, signal });
      return;
    }
    await delay(RECHECK_MS, undefined, { signal });
  }
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

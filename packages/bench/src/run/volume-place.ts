import { createReadStream } from 'node:fs';
import { lstat, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CAPS } from '@ssebench/contracts/caps';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import { bytes } from '@ssebench/contracts/units';
import type { ContainerSpec, Mount } from '@ssebench/engine/container';
import { isEngineError } from '@ssebench/engine/errors';
import { packEntries, TarRefused, unpackInto } from '@ssebench/engine/tar';
import { patiently } from './patience.ts';
import type { Part, ResultsPlace } from './results-place.ts';
import type { Stage } from './run-scene.ts';

const GIB = 1024 ** 3;
/** All that a container may leave as its results, and the agent as its archive. */
const LIMITS = {
  results: { maxBytes: CAPS.source_archive_bytes + CAPS.patch_bytes + GIB, maxFiles: 200_000 },
  archive: { maxBytes: CAPS.archive_bytes, maxFiles: CAPS.archive_files },
} as const;
/** Looking costs a call of the engine. Milliseconds. */
const LOOK_INTERVAL = 1_000;
/** Between two chunks of a stream, and for removing something. Milliseconds. */
const LIMIT = 60_000;
const NEVER = new AbortController().signal;

/** In the agent's archive. */
const SESSION = 'dialog.jsonl';

const VOLUMES = ['work', 'grade', 'archive'] as const;
type Volume = (typeof VOLUMES)[number];
/** Where the container that never runs has the volumes. */
const STORE = '/store';
/** An image that holds nothing: whatever a container's root leaves in a volume, there is nothing that a link could lead to. */
const STORE_IMAGE = 'ssebench-store:1';
/** In the volume of results from the beginning: an engine gives an image's files only to a volume that is empty. */
const MARK = '.volume';

/**
 * Named volumes, for an engine that doesn't share our file system. They are read and written through a container that
 * never runs and outlasts the others, as a capped stream of which regular files and directories are taken.
 */
export class VolumePlace implements ResultsPlace {
  readonly lookInterval = LOOK_INTERVAL;
  readonly #stage: Stage;
  readonly #brought = new Set<Volume>();
  #store = '';

  private constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** For a run that begins. When that fails nothing is left on the engine. */
  static async create(stage: Stage): Promise<VolumePlace> {
    const place = new VolumePlace(stage);
    try {
      await place.#open();
      return place;
    } catch (error) {
      await place.#remove();
      throw error;
    }
  }

  /** For a run whose command was killed: what the volumes hold stays, whatever happens. */
  static async takeUp(stage: Stage): Promise<VolumePlace> {
    const place = new VolumePlace(stage);
    await place.#open();
    return place;
  }

  mounts(part: Part): Mount[] {
    return [
      this.#mount(part, CONTAINER.results),
      ...(part === 'work' ? [this.#mount('archive', CONTAINER.archive)] : []),
    ];
  }

  async bring(part: Part, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#fetch(part, name);
  }

  async bringAll(part: Part): Promise<void> {
    await this.#fetch(part);
    this.#brought.add(part);
  }

  async give(part: Part, name: string): Promise<void> {
    const { engine, signal, directory } = this.#stage;
    const path = join(directory[part], name);
    const { size } = await lstat(path);
    const tar = () => packEntries([{ name, mode: 0o644, size, stream: () => createReadStream(path) }]);
    await this.#throughStore((store) => engine.putArchive(store, `${STORE}/${part}`, tar(), { signal }));
  }

  async clear(part: Part): Promise<void> {
    const { engine, signal } = this.#stage;
    await unlessGone(engine.remove(this.#store, { force: true, signal }));
    await unlessGone(engine.removeVolume(this.#name(part), { signal }));
    this.#brought.delete(part);
    await this.#open();
  }

  async bringRest(): Promise<void> {
    const { record, progress } = this.#stage;
    for (const volume of VOLUMES) {
      if (this.#brought.has(volume)) continue;
      try {
        // Readers look for the agent's session, whatever becomes of the rest, for which there may be no room.
        if (volume === 'archive') await this.#fetch(volume, SESSION);
        if (volume !== 'archive' || record.fault?.code !== 'host_disk_low') await this.#fetch(volume);
      } catch (error) {
        // What is too much now stays too much.
        if (!(error instanceof FaultError)) throw error;
        progress.notice(`not all results are kept: ${error.fault.detail}`);
        record.fail(error.fault);
      }
      this.#brought.add(volume);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { record, progress } = this.#stage;
    try {
      await this.bringRest();
    } catch (error) {
      progress.notice(`not all results could be read back: ${String(error)}`);
      return record.failWith(error, NEVER);
    }
    await this.#remove();
  }

  async #remove(): Promise<void> {
    const { engine } = this.#stage;
    const removals = [
      () => engine.remove(this.#name('store'), { force: true, timeoutMs: LIMIT }),
      ...VOLUMES.map((volume) => () => engine.removeVolume(this.#name(volume), { timeoutMs: LIMIT })),
    ];
    for (const remove of removals) {
      try {
        await remove();
      } catch (error) {
        // It is gone, or a container is kept, or the engine does not answer: `ssebench gc` removes what is left.
        if (!isEngineError(error)) throw error;
      }
    }
  }

  async #open(): Promise<void> {
    const { engine, signal } = this.#stage;
    const options = { signal };
    for (const volume of VOLUMES) await engine.createVolume(this.#name(volume), this.#labels('results'), options);
    this.#store = await this.#openStore(options);
    const mark = () => packEntries([{ name: MARK, content: '', mode: 0o600 }]);
    for (const part of ['work', 'grade']) await engine.putArchive(this.#store, `${STORE}/${part}`, mark(), options);
  }

  /** People prune containers that never ran, and this one may be made again at any time. */
  async #throughStore<T>(use: (store: string) => Promise<T>): Promise<T> {
    try {
      return await use(this.#store);
    } catch (error) {
      if (!isEngineError(error, 'not_found') || (await this.#stage.engine.inspectContainer(this.#store))) throw error;
      this.#store = await this.#openStore({});
      return use(this.#store);
    }
  }

  async #openStore(options: { signal?: AbortSignal }): Promise<string> {
    const { engine } = this.#stage;
    const name = this.#name('store');
    const known = await engine.inspectContainer(name, options);
    if (known) return known.id;
    const image =
      (await engine.inspectImage(STORE_IMAGE, options))?.id ??
      (await engine.importImage({
        rootfs: packEntries([{ name: STORE.slice(1), directory: true }]),
        ref: STORE_IMAGE,
        labels: { [LABEL.role]: 'store' },
        ...options,
      }));
    const spec: ContainerSpec = {
      image,
      name,
      cmd: ['/none'],
      labels: this.#labels('store'),
      mounts: VOLUMES.map((volume) => this.#mount(volume, `${STORE}/${volume}`)),
      network: 'none',
      capabilities: [],
      noNewPrivileges: true,
    };
    try {
      return await engine.createContainer(spec, options);
    } catch (error) {
      // Two that look at the same time make it once.
      const made = isEngineError(error, 'conflict') ? await engine.inspectContainer(name, options) : undefined;
      if (made) return made.id;
      throw error;
    }
  }

  /**
   * Puts a file of a volume, or all that a volume holds, into its directory of ours, in place of what has the same name
   * there. A file that is not there is none. The user's wish to stop does not end it.
   * @throws FaultError `results_refused` | `archive_limit` when it is more than the limits, or can't be unpacked
   */
  async #fetch(volume: Volume, name?: string): Promise<void> {
    const { engine, directory, signal } = this.#stage;
    const path = `${STORE}/${volume}/${name ?? '.'}`;
    const limits = volume === 'archive' ? LIMITS.archive : LIMITS.results;
    // Beneath a directory that goes when the run ends.
    const unpacked = await mkdtemp(join(directory.work, '.fetch-'));
    try {
      const tar = await patiently(engine, signal, () =>
        this.#throughStore((store) => engine.getArchive(store, path, { timeoutMs: LIMIT })),
      );
      await unpackInto(unpacked, tar, limits);
      for (const entry of await readdir(unpacked)) await replace(join(unpacked, entry), join(directory[volume], entry));
    } catch (error) {
      if (name !== undefined && isEngineError(error, 'not_found')) return;
      throw error instanceof TarRefused ? refused(volume, error, limits) : error;
    } finally {
      await rm(unpacked, { recursive: true, force: true });
    }
  }

  #mount(volume: Volume, target: string): Mount {
    return { type: 'volume', name: this.#name(volume), target, readOnly: false };
  }

  #name(of: Volume | 'store'): string {
    return `ssebench-run-${this.#stage.directory.token}-${of}`;
  }

  #labels(role: string): Record<string, string> {
    const { facts, directory, owner } = this.#stage;
    return {
      [LABEL.role]: role,
      [LABEL.runId]: facts.runId,
      [LABEL.results]: directory.path,
      [LABEL.owner]: owner.socket,
    };
  }
}

async function unlessGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isEngineError(error, 'not_found')) throw error;
  }
}

/** A file takes another's place at once: somebody may be reading it. */
async function replace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(code)) throw error;
    await rm(to, { recursive: true, force: true });
    await rename(from, to);
  }
}

function refused(volume: Volume, { message }: TarRefused, limits: { maxBytes: number; maxFiles: number }): FaultError {
  const what = volume === 'archive' ? "the agent's archive" : `what the ${volume} container left`;
  const detail = `${what}: ${message}; allowed are ${bytes(limits.maxBytes)} and ${limits.maxFiles} files`;
  const code = volume === 'archive' ? 'archive_limit' : 'results_refused';
  return new FaultError(fault(code, detail, { phase: 'collect' }));
}

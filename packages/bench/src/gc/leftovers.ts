import { LABEL } from '@ssebench/contracts/labels';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine, VolumeInfo } from '@ssebench/engine/port';
import { Ownership } from './ownership.ts';

/** Something that can go: its name for people, and how it goes. */
export interface Leftover {
  kind: 'container' | 'volume' | 'network' | 'image' | 'run' | 'directory' | 'key';
  name: string;
  remove(): Promise<void>;
}

/** Images that `--images` takes: each can be built again from a task's or an agent's folder, or of nothing. */
const IMAGE_ROLES = ['agent', 'program', 'tool', 'work', 'case', 'store'];

/**
 * What is on the engine and nobody's: containers, volumes and networks of runs whose owner has gone, and what never had
 * one. Containers come first, since they hold the rest.
 * Of the runtime's volumes the newest stays: it is filled once for each version. An agent's program stays as long as its image
 * does.
 * @param withImages whether the images are going to be removed, too
 */
export async function engineLeftovers(engine: ContainerEngine, now: Date, withImages = false): Promise<Leftover[]> {
  const ownership = new Ownership(engine.address, now);
  const found: Leftover[] = [];
  for (const container of await engine.listContainers({})) {
    if (!(await ownership.isAbandoned(container))) continue;
    const { id, labels } = container;
    const run = labels[LABEL.runId];
    found.push({
      kind: 'container',
      name: run ? `${container.name} (run ${run})` : container.name,
      remove: () => engine.remove(id, { force: true, volumes: true }),
    });
  }
  const volumes = await engine.listVolumes({});
  const current = newestRuntime(volumes);
  const programs = withImages ? [] : await engine.listImages({ [LABEL.role]: 'program' });
  const isKept = (volume: VolumeInfo) =>
    isRuntime(volume) ? volume.name === current : programs.some(({ id }) => id === volume.labels[LABEL.key]);
  for (const volume of volumes) {
    const old = isOfImage(volume) ? !isKept(volume) : await ownership.isAbandoned(volume);
    if (old) found.push({ kind: 'volume', name: volume.name, remove: () => engine.removeVolume(volume.name) });
  }
  for (const network of await engine.listNetworks({})) {
    if (!(await ownership.isAbandoned(network))) continue;
    found.push({ kind: 'network', name: network.name, remove: () => engine.removeNetwork(network.name) });
  }
  return found;
}

/** What is in it is in an image, too. */
function isOfImage(volume: VolumeInfo): boolean {
  return isRuntime(volume) || volume.labels[LABEL.role] === 'program';
}

function isRuntime({ name }: VolumeInfo): boolean {
  return name.startsWith('ssebench-runtime-');
}

function newestRuntime(volumes: readonly VolumeInfo[]): string | undefined {
  const runtimes = volumes.filter(isRuntime).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return runtimes[0]?.name;
}

/** The images of tasks and agents, by name. Those that a container uses stay when they are removed. */
export async function imageLeftovers(engine: ContainerEngine): Promise<Leftover[]> {
  const found: Leftover[] = [];
  for (const role of IMAGE_ROLES) {
    for (const { id, tags } of await engine.listImages({ [LABEL.role]: role })) {
      const names = tags.length > 0 ? tags : [id];
      found.push(...names.map((name) => ({ kind: 'image' as const, name, remove: () => engine.removeImage(name) })));
    }
  }
  return found;
}

/** Removes it. False when something still uses it. What is gone already counts as removed. */
export async function removeLeftover(leftover: Leftover): Promise<boolean> {
  try {
    await leftover.remove();
    return true;
  } catch (error) {
    if (isEngineError(error, 'not_found')) return true;
    if (isEngineError(error, 'conflict')) return false;
    throw error;
  }
}

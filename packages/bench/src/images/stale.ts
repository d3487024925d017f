import { LABEL } from '@ssebench/contracts/labels';
import { isEngineError } from '@ssebench/engine/errors';
import type { ImageInfo } from '@ssebench/engine/image';
import type { ImageContext } from './context.ts';
import type { RuntimeIdentity } from './runtime.ts';

/** A clone of another version on the same engine goes on using its own. */
const OLD_MS = 24 * 60 * 60 * 1000;

function isOld(created: Date): boolean {
  return Date.now() - created.getTime() > OLD_MS;
}

/** On work, tool and agent images: the case image that they stand on, by name. Task ids alone may repeat among datasets. */
export const CASE_LABEL = 'ssebench.case';

/**
 * Takes away the unique names (`k-…`, `i-…`) of one repository's images but `keep`, and with them the images that nothing else
 * names. Those that a container uses stay until the next time.
 * @param labels which images are looked at
 */
export async function removeStale(
  { engine, signal }: Pick<ImageContext, 'engine' | 'signal'>,
  repository: string,
  keep: string,
  labels: Readonly<Record<string, string>>,
): Promise<void> {
  const images = await engine.listImages(labels, { signal });
  const stale = images
    .flatMap(({ tags }) => tags)
    .filter((tag) => tag !== keep && (tag.startsWith(`${repository}:k-`) || tag.startsWith(`${repository}:i-`)));
  for (const tag of stale) await unlessUsed(engine.removeImage(tag, { signal }));
}

/** Takes away the images and volumes of runtimes that were replaced more than a day ago, unless something uses them. */
export async function removeOldRuntimes(
  { engine, registry, signal }: Pick<ImageContext, 'engine' | 'registry' | 'signal'>,
  current: RuntimeIdentity,
): Promise<void> {
  const ours = { [LABEL.role]: 'runtime' };
  for (const { tags, created } of await engine.listImages(ours, { signal })) {
    const old = isOld(created) ? tags.filter((tag) => tag.startsWith(`${registry}/runtime:`)) : [];
    for (const tag of old) if (tag !== current.image) await unlessUsed(engine.removeImage(tag, { signal }));
  }
  for (const { name, createdAt } of await engine.listVolumes(ours, { signal })) {
    if (isOld(createdAt) && name !== current.volume) await unlessUsed(engine.removeVolume(name, { signal }));
  }
}

/** The same for the programs of an agent: what was replaced more than a day ago goes, unless something uses it. */
export async function removeOldPrograms(
  { engine, signal }: Pick<ImageContext, 'engine' | 'signal'>,
  agent: string,
  current: { tag: string; volume: string },
): Promise<void> {
  const ours = { [LABEL.role]: 'program', [LABEL.agent]: agent };
  for (const { tags, created } of await engine.listImages(ours, { signal })) {
    if (!isOld(created) || tags.includes(current.tag)) continue;
    for (const tag of tags) await unlessUsed(engine.removeImage(tag, { signal }));
  }
  for (const { name, createdAt } of await engine.listVolumes(ours, { signal })) {
    if (isOld(createdAt) && name !== current.volume) await unlessUsed(engine.removeVolume(name, { signal }));
  }
}

/** Another command may have built the same just now, and is about to name what it got. */
const SUPERSEDED_MS = 10 * 60 * 1000;

/** Takes away an image whose last name went to a newer one, unless something uses it. */
export async function removeSuperseded(
  { engine, signal }: Pick<ImageContext, 'engine' | 'signal'>,
  old: Pick<ImageInfo, 'id'> | undefined,
): Promise<void> {
  const image = old && (await engine.inspectImage(old.id, { signal }));
  if (!image || image.tags.length > 0 || Date.now() - image.created.getTime() < SUPERSEDED_MS) return;
  await unlessUsed(engine.removeImage(image.id, { signal }));
}

/** What can't be taken away now is there the next time: a run does not fail for it. */
async function unlessUsed(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!isEngineError(error) || isEngineError(error, 'aborted')) throw error;
  }
}

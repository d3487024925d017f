import { FaultError, fault } from '@ssebench/contracts/faults';
import type { RunImages } from '@ssebench/contracts/summary';
import { registryAuth } from '@ssebench/engine/docker/registry-auth';
import type { ImageInfo } from '@ssebench/engine/image';
import { showPath } from '../config/show-path.ts';
import type { RunTask } from '../config/tasks.ts';
import { type ImageContext, isOwnRegistry } from './context.ts';
import { pullFailure, type Wanted } from './registry-failure.ts';

/** As manifests name them, and as engines are known here. */
const ARCHITECTURES: Readonly<Record<string, string>> = { amd64: 'x64', arm64: 'arm64' };

/** A case image that came from a registry. */
export interface PulledCase {
  image: ImageInfo;
  /** As a run records it. */
  from: NonNullable<RunImages['pulled']>;
}

/**
 * The case image of a catalog's task, pulled where the engine does not have it by the digest; by its tag it is always asked for.
 * @returns undefined when it is to be built from the task's folder: it has one, and no image is pinned that can be pulled
 * @throws FaultError `image_unavailable` with the place and a remedy
 */
export async function pullCase(context: ImageContext, task: RunTask): Promise<PulledCase | undefined> {
  const { engine, registry, progress, signal } = context;
  const { published, dir, dataset } = task;
  if (!published) return undefined;
  const { image: name, version, digest, lock, arch } = published;
  const tagged = `${registry}/${name}:${version}`;
  if (isOwnRegistry(registry)) {
    if (dir !== null) return undefined;
    const remedy = 'set SSEBENCH_REGISTRY to the prefix that the dataset was published under, or use --local';
    throw unavailable(`${tagged}: images under ${registry} are built here and in no registry\n${remedy}`);
  }
  const ref = digest === null ? tagged : `${registry}/${name}@${digest}`;
  const otherwise = dir === null ? 'use --local with a dataset folder' : 'give --build to build it here';
  const { architecture } = await engine.info({ signal });
  if (!arch.some((it) => ARCHITECTURES[it] === architecture))
    throw unavailable(
      `${ref} is for ${arch.join(' and ')}, the engine is ${architecture}; use one of that architecture`,
    );
  let image: ImageInfo;
  try {
    image = await pullImage(context, { ref, pinnedBy: lock, otherwise }, digest === null ? 'always' : 'missing');
  } catch (error) {
    if (!(error instanceof FaultError) || digest !== null || dir === null) throw error;
    const [problem] = error.fault.detail.split('\n');
    progress.notice(`${problem}; building it from ${showPath(dir)} instead`);
    return undefined;
  }
  if (digest !== null && !image.tags.includes(tagged)) await engine.tag(image.id, tagged, { signal });
  const repository = `${registry}/${name}`;
  const found = image.repoDigests.find((it) => it.startsWith(`${repository}@`));
  const from = { dataset, version, image: repository, digest: digest ?? found?.slice(repository.length + 1) ?? null };
  return { image, from };
}

/**
 * An image of a registry, with the credentials that the user has for it.
 * @throws FaultError `image_unavailable` when it can't be had, or is for another architecture than the engine's
 */
export async function pullImage(
  { engine, progress, signal }: Pick<ImageContext, 'engine' | 'progress' | 'signal'>,
  wanted: Wanted,
  when: 'missing' | 'always' = 'missing',
): Promise<ImageInfo> {
  const { ref, otherwise } = wanted;
  progress.step(`pulling ${ref}`);
  const known = when === 'missing' ? await engine.inspectImage(ref, { signal }) : undefined;
  if (!known) {
    try {
      const auth = await registryAuth(ref);
      const onProgress = ({ status, id }: { status: string; id?: string }) =>
        progress.line(id ? `${id}: ${status}` : status);
      await engine.pull(ref, { auth, signal, onProgress });
    } catch (error) {
      throw pullFailure(error, wanted);
    }
  }
  const image = known ?? (await engine.inspectImage(ref, { signal }));
  if (!image) throw unavailable(`${ref} was pulled and is gone again`);
  const { architecture } = await engine.info({ signal });
  if (image.architecture !== architecture) {
    const remedy = `use an engine of that architecture, or ${otherwise}`;
    throw unavailable(`${ref} is for ${image.architecture}, the engine is ${architecture}\n${remedy}`);
  }
  progress.done(known !== undefined);
  return image;
}

function unavailable(detail: string): FaultError {
  return new FaultError(fault('image_unavailable', detail, { retryable: false }));
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { EVIDENCE } from '@ssebench/contracts/task-expect';
import { ignoredPaths } from '@ssebench/engine/dockerignore';
import type { ImageInfo } from '@ssebench/engine/image';
import { packDirectory } from '@ssebench/engine/tar';
import { showPath } from '../config/show-path.ts';
import { digestOfFiles } from '../config/task-files.ts';
import type { Task } from '../config/tasks.ts';
import { buildImage } from './build.ts';
import { short } from './build-key.ts';
import type { ImageContext } from './context.ts';
import { baseImages } from './dockerfile.ts';
import { readExtraCa, trustsOnly } from './extra-ca.ts';
import { proxyArgs } from './proxy.ts';

/** Name of a task's case image below the registry. Source: spec/host §9. */
export function caseName({ dataset, id }: Pick<Task, 'dataset' | 'id'>): string {
  return `case/${dataset}/${id}`.toLowerCase();
}

/** The case image when it can be used: `builtCase`, and it trusts no certificate authority that is not wanted. */
export async function findCase(context: ImageContext, task: Task): Promise<ImageInfo | undefined> {
  const image = await builtCase(context, task);
  return image && trustsOnly(image.labels[LABEL.extraCa], readExtraCa(context.extraCa)) ? image : undefined;
}

/**
 * The case image when it was built from the task folder as it is now, what proves the task aside: that is in no image. One without our
 * label is out of date.
 */
export async function builtCase(
  { engine, registry, signal }: ImageContext,
  task: Task,
): Promise<ImageInfo | undefined> {
  const image = await engine.inspectImage(`${registry}/${caseName(task)}`, { signal });
  const isOfAll = image?.labels[LABEL.taskFiles] === task.filesDigest;
  return isOfAll || image?.labels[LABEL.key] === contentDigest(task) ? image : undefined;
}

const isEvidence = ignoredPaths('', Object.values(EVIDENCE));

/** Of the files that an image can hold. A catalog may list none. */
function contentDigest({ files, filesDigest }: Task): string {
  const content = Object.entries(files).filter(([path]) => !isEvidence(path));
  return content.length === 0 ? filesDigest : digestOfFiles(Object.fromEntries(content));
}

/** The images that a task's Dockerfile starts from; `final`: what its last stage ends on. */
export function caseBases({ registry }: Pick<ImageContext, 'registry'>, task: Task): { final: string; all: string[] } {
  return baseImages(readFileSync(join(task.dir, 'Dockerfile'), 'utf8'), { SSEBENCH_REGISTRY: registry });
}

/** Builds it from the task folder; what it starts from must be there. @throws FaultError when a step fails */
export async function buildCase(context: ImageContext, task: Task, baseRegistry: string): Promise<ImageInfo> {
  const { engine, registry, signal } = context;
  const dockerfile = join(task.dir, 'Dockerfile');
  const id = await buildImage(context, {
    role: 'case',
    context: packDirectory(task.dir, {
      // What proves the task is no part of it: no image may hold it.
      ignore: Object.values(EVIDENCE),
      // Given by name, so that a `.dockerignore` may leave it out of what COPY sees.
      extra: [{ name: 'Dockerfile', content: readFileSync(dockerfile) }],
    }),
    dockerfile: showPath(dockerfile),
    tags: [`${registry}/${caseName(task)}`],
    labels: { [LABEL.taskFiles]: task.filesDigest, [LABEL.key]: contentDigest(task) },
    buildArgs: { SSEBENCH_REGISTRY: baseRegistry, ...proxyArgs() },
    blame: 'task',
  });
  const image = await engine.inspectImage(id, { signal });
  if (image) return image;
  throw new FaultError(fault('image_build_failed', `${showPath(dockerfile)}: the image is gone again`));
}

/**
 * A name for exactly this image, to build on: the engine takes no ids there, and another process may
 * move the plain name meanwhile.
 */
export async function pinCase(
  { engine, registry, signal }: ImageContext,
  task: Pick<Task, 'dataset' | 'id'>,
  image: ImageInfo,
): Promise<string> {
  const ref = `${registry}/${caseName(task)}:i-${short(image.id)}`;
  if (!image.tags.includes(ref)) await engine.tag(image.id, ref, { signal });
  return ref;
}

import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { ImageInfo } from '@ssebench/engine/image';
import { packEntries } from '@ssebench/engine/tar';
import { showPath } from '../config/show-path.ts';
import type { RunTask } from '../config/tasks.ts';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import { caseName, pinCase } from './case.ts';
import type { ImageContext } from './context.ts';
import type { RuntimeIdentity } from './runtime.ts';
import { CASE_LABEL } from './stale.ts';

/** `work`: what an agent's image is built on, without answers. `tool`: what grades. */
export type Variant = 'work' | 'tool';

export interface PreparedRef {
  /** `work/<task>` below the registry. */
  repository: string;
  /** Names exactly this content; what is looked up and built on. */
  unique: string;
  /** Names the newest for people, by the product's version. Source: spec/host §9. */
  named: string;
  key: string;
  /** Folder of the agent that it is of: another with the same name has its images in the same repository. */
  agent?: string;
}

const SCRIPT_ENV = 'script-env.json';
/** In a place that every container has as memory, so that the mount leaves nothing in the image. */
const SCRIPT_ENV_PATH = `/dev/shm/${SCRIPT_ENV}`;
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Names and key of the image that preparing this case image makes. */
export function preparedRef(
  { registry, version }: Pick<ImageContext, 'registry' | 'version'>,
  variant: Variant,
  task: Pick<RunTask, 'id'>,
  caseImage: Pick<ImageInfo, 'id'>,
  runtime: RuntimeIdentity,
): PreparedRef {
  const repository = `${registry}/${variant}/${task.id}`.toLowerCase();
  // The program that prepares counts, not the whole runtime: that is mounted and not in the image.
  const prepare = runtime.bundle.digests['prepare.cjs'] ?? '';
  const key = buildKey({ case: caseImage.id, prepare, dockerfile: dockerfile(variant, 'CASE', 'RUNTIME') });
  return { repository, key, unique: `${repository}:k-${short(key)}`, named: `${repository}:${version}` };
}

/** The image when it is there; gives it its plain name back should another have it. */
export async function findPrepared({ engine, signal }: ImageContext, ref: PreparedRef): Promise<ImageInfo | undefined> {
  const image = await engine.inspectImage(ref.unique, { signal });
  if (image?.labels[LABEL.key] !== ref.key) return undefined;
  if (!image.tags.includes(ref.named)) await engine.tag(image.id, ref.named, { signal });
  return image;
}

/**
 * Builds it: the preparation program runs in the case image as root, with a constant environment, whatever the case image's own
 * is; that one it records for the task's scripts.
 * @throws FaultError `image_unusable` when the case image lacks what a run needs
 */
export async function buildPrepared(
  context: ImageContext,
  variant: Variant,
  task: RunTask,
  { caseImage, ref, runtime }: { caseImage: ImageInfo; ref: PreparedRef; runtime: RuntimeIdentity },
): Promise<ImageInfo> {
  const subject = task.dir === null ? caseName(task) : showPath(join(task.dir, 'Dockerfile'));
  if (caseImage.onBuild.length > 0) {
    const remedy = 'Nothing is built on a case image but what the harness makes of it: take the ONBUILD out';
    throw new FaultError(fault('image_unusable', `${subject}: has ONBUILD ${caseImage.onBuild[0]}. ${remedy}`));
  }
  const pinned = await pinCase(context, task, caseImage);
  const id = await buildImage(context, {
    role: variant,
    context: packEntries([
      { name: 'Dockerfile', content: dockerfile(variant, pinned, runtime.image) },
      { name: SCRIPT_ENV, content: JSON.stringify(caseImage.env) },
    ]),
    dockerfile: `preparing ${caseName(task)}`,
    subject,
    tags: [ref.unique, ref.named],
    labels: {
      [LABEL.key]: ref.key,
      [LABEL.task]: task.id,
      [LABEL.taskFiles]: task.filesDigest ?? undefined,
      [CASE_LABEL]: caseName(task),
    },
    blame: 'infra',
  });
  const image = await context.engine.inspectImage(id, { signal: context.signal });
  if (image) return image;
  throw new FaultError(fault('image_build_failed', `${ref.unique}: the image is gone again`, { blame: 'infra' }));
}

/** No instruction of the case image says what an agent's container runs, so its CMD and ENTRYPOINT end here. */
function dockerfile(variant: Variant, from: string, runtime: string): string {
  const program = [CONTAINER.node, CONTAINER.prepareBundle, variant, '--script-env', SCRIPT_ENV_PATH];
  const mounts = [
    `--mount=type=bind,from=${runtime},source=${CONTAINER.runtime},target=${CONTAINER.runtime}`,
    `--mount=type=bind,source=${SCRIPT_ENV},target=${SCRIPT_ENV_PATH}`,
  ];
  return [
    `FROM ${from}`,
    'USER root',
    `RUN ${mounts.join(' ')} ${JSON.stringify(['/usr/bin/env', '-i', `PATH=${PATH}`, ...program])}`,
    'ENTRYPOINT []',
    'CMD []',
    '',
  ].join('\n');
}

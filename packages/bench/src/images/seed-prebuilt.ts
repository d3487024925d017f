import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import type { ImageInfo } from '@ssebench/engine/image';
import type { Agent } from '../config/agents.ts';
import { agentRef } from './agent.ts';
import type { ImagesRequest } from './ensure.ts';
import { findPrepared, type PreparedRef, preparedRef } from './prepared.ts';
import type { Program } from './program.ts';
import { pullImage } from './pull.ts';
import type { RuntimeIdentity } from './runtime.ts';
import { hasRuntimeVolume } from './runtime-volume.ts';

/**
 * Pulls everything that a run needs beside the case image by the digests of the lock, under the names by which it is looked for:
 * nothing is left to build then.
 * @throws FaultError `image_unavailable` for what was not published, is not there, or was made of something else than this
 * version and this agent's folder are
 */
export async function seedPrebuilt(
  request: ImagesRequest,
  caseImage: ImageInfo,
  { runtime, agent, program }: { runtime: RuntimeIdentity; agent: Agent | undefined; program: Program | undefined },
): Promise<void> {
  const { task, engine, registry, signal } = request;
  const { prebuilt, lock } = task.published ?? {};
  if (!prebuilt && lock == null) throw unavailable(`${task.id}: there is no images lock for it\n${NAME_LOCK}`);
  if (!prebuilt) throw refusal(`${task.id}: ${lock} names no images for --prebuilt`, request);
  const madeBy = `SSEBench ${prebuilt.ssebench}`;
  const seed = async (what: string, ref: PreparedRef, digest: string): Promise<ImageInfo> => {
    const found = await findPrepared(request, ref);
    if (found) return found;
    const wanted = { ref: `${ref.repository}@${digest}`, pinnedBy: lock ?? null, otherwise: WITHOUT };
    const image = await pullImage(request, wanted);
    if (image.labels[LABEL.key] !== ref.key)
      throw refusal(`${wanted.ref}: ${what} was made by ${madeBy} of something else than there is here`, request);
    for (const name of [ref.unique, ref.named]) await engine.tag(image.id, name, { signal });
    return image;
  };
  if (!(await hasRuntimeVolume(request, runtime)))
    await seed('the runtime', runtimeRef(registry, runtime), prebuilt.runtime);
  await seed('the tool image', preparedRef(request, 'tool', task, caseImage, runtime), prebuilt.tool);
  if (!agent) return;
  const workRef = preparedRef(request, 'work', task, caseImage, runtime);
  const work = await seed('the work image', workRef, prebuilt.work);
  const published = prebuilt.agents[agent.folder];
  if (!published) {
    const known = Object.keys(prebuilt.agents).join(', ') || 'none';
    throw refusal(`${task.id}: ${lock} has no image of the agent "${agent.folder}"; published: ${known}`, request);
  }
  if (program && !published.program)
    throw refusal(`${task.id}: ${lock} has no image of the program of "${agent.folder}"`, request);
  const programImage =
    program && published.program && (await seed("the agent's program", program.ref, published.program));
  const parts = {
    work: { id: work.id, tag: workRef.unique },
    program: program && programImage ? { id: programImage.id, tag: program.ref.unique } : undefined,
  };
  await seed(`the image of the agent "${agent.folder}"`, agentRef(request, agent, task, parts), published.image);
}

const WITHOUT = 'leave --prebuilt away to build the images here';
const NAME_LOCK = `name one of its version with SSEBENCH_IMAGES_LOCK, a path or web address, or ${WITHOUT}`;

/** The runtime's image as one that is looked for by its key. */
function runtimeRef(registry: string, { image, key }: RuntimeIdentity): PreparedRef {
  return { repository: `${registry}/runtime`, key, unique: image, named: image };
}

function refusal(detail: string, { version }: ImagesRequest): FaultError {
  const remedy = `this is SSEBench ${version}: publish the task anew with it, or ${WITHOUT}`;
  return unavailable(`${detail}\n${remedy}`);
}

function unavailable(detail: string): FaultError {
  return new FaultError(fault('image_unavailable', detail, { retryable: false }));
}

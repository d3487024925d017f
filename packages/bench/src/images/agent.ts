import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { ImageInfo } from '@ssebench/engine/image';
import { packDirectory } from '@ssebench/engine/tar';
import type { Agent } from '../config/agents.ts';
import { showPath } from '../config/show-path.ts';
import { digestOfFiles, hashFiles } from '../config/task-files.ts';
import type { Task } from '../config/tasks.ts';
import { type AgentDockerfile, DockerfileError, readAgentDockerfile } from './agent-dockerfile.ts';
import { buildImage, type ImageRole } from './build.ts';
import { buildKey, short } from './build-key.ts';
import { caseName } from './case.ts';
import type { ImageContext } from './context.ts';
import type { PreparedRef } from './prepared.ts';
import { proxyArgs } from './proxy.ts';
import { CASE_LABEL } from './stale.ts';

/** Names and key of an agent's image on a work image. Source of the name: spec/host §9. */
export function agentRef(
  { registry }: Pick<ImageContext, 'registry'>,
  agent: Agent,
  task: Pick<Task, 'id'>,
  work: Pick<ImageInfo, 'id'>,
): PreparedRef {
  const repository = `${registry}/agent-${agent.name}/${task.id}`.toLowerCase();
  const key = buildKey({ work: work.id, files: digestOfFiles(hashFiles(agent.dir)) });
  return { repository, key, unique: `${repository}:k-${short(key)}`, named: `${repository}:${agent.version}` };
}

/**
 * Builds it from the agent's folder, on the work image of this name.
 * @throws FaultError when the folder has no usable Dockerfile, or a step fails
 */
export async function buildAgent(
  context: ImageContext,
  agent: Agent,
  task: Task,
  { work, ref }: { work: string; ref: PreparedRef },
): Promise<ImageInfo> {
  const path = join(agent.dir, 'Dockerfile');
  const { content, images } = read(path, work);
  for (const image of images) await refuseAnswers(context, image, path);
  const id = await buildImage(context, {
    role: 'agent',
    context: packDirectory(agent.dir, { extra: [{ name: 'Dockerfile', content }] }),
    dockerfile: showPath(path),
    tags: [ref.unique, ref.named],
    labels: { [LABEL.key]: ref.key, [LABEL.agent]: agent.folder, [LABEL.task]: task.id, [CASE_LABEL]: caseName(task) },
    buildArgs: proxyArgs(),
    blame: 'user',
  });
  const image = await context.engine.inspectImage(id, { signal: context.signal });
  if (!image) throw refusal(`${showPath(path)}: the image is gone again`);
  return image;
}

/** The command that an agent's image runs. @throws FaultError when it has none, or an image that no container of ours may have */
export function agentCommand(agent: Agent, image: ImageInfo): string[] {
  refuseVolumes(image, join(agent.dir, 'Dockerfile'));
  if (image.cmd.length > 0) return [...image.cmd];
  throw refusal(`${showPath(join(agent.dir, 'Dockerfile'))}: the image has no CMD, which is what the agent runs`);
}

/** Images whose layers hold answers. */
const WITH_ANSWERS: readonly (ImageRole | undefined)[] = ['case', 'tool'];

/** A Dockerfile is built where the images of all tasks are. @throws FaultError for one that would take answers from them */
async function refuseAnswers(
  { engine, signal }: ImageContext,
  { name, line }: AgentDockerfile['images'][number],
  path: string,
): Promise<void> {
  const image = await engine.inspectImage(name, { signal });
  if (!WITH_ANSWERS.some((role) => role === image?.labels[LABEL.role])) return;
  throw refusal(`${showPath(path)}:${line}: ${name} holds a task's answers: no agent may be built from it`);
}

/** Places that are ours in a container. A volume of the image's there would hide what we mount or made. */
const OURS = [
  CONTAINER.runtime,
  CONTAINER.task,
  CONTAINER.repo,
  CONTAINER.hostMounts,
  CONTAINER.image,
  CONTAINER.runner,
  dirname(CONTAINER.adminSocket),
  CONTAINER.archive,
  dirname(CONTAINER.referencePatch),
];

function refuseVolumes({ volumes }: ImageInfo, path: string): void {
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  for (const volume of volumes.map((written) => posix.resolve('/', written))) {
    if (!OURS.some((ours) => isWithin(volume, ours) || isWithin(ours, volume))) continue;
    throw refusal(`${showPath(path)}: VOLUME ${volume} is not allowed: the harness keeps its own things there`);
  }
}

function read(path: string, work: string): AgentDockerfile {
  try {
    return readAgentDockerfile(readFileSync(path, 'utf8'), work);
  } catch (error) {
    if (error instanceof DockerfileError) throw refusal(`${showPath(path)}:${error.line}: ${error.message}`, error);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw refusal(`${showPath(path)}: no such file`, error);
    throw error;
  }
}

function refusal(detail: string, cause?: unknown): FaultError {
  return new FaultError(fault('image_build_failed', detail, { blame: 'user', retryable: false }), { cause });
}

import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { ImageInfo } from '@ssebench/engine/image';
import { packDirectory } from '@ssebench/engine/tar';
import type { Agent } from '../config/agents.ts';
import { showPath } from '../config/show-path.ts';
import { digestOfFiles, hashFiles } from '../config/task-files.ts';
import type { RunTask } from '../config/tasks.ts';
import { readAgentDockerfile } from './agent-dockerfile.ts';
import { readingDockerfile, refusal, refuseAnswers } from './agent-refusal.ts';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import { caseName } from './case.ts';
import type { ImageContext } from './context.ts';
import type { PreparedRef } from './prepared.ts';
import { ensureProgramBase } from './program-base.ts';
import { PROGRAM_BASE, programStage } from './program-stage.ts';
import { proxyArgs } from './proxy.ts';
import { CASE_LABEL } from './stale.ts';

/** What an agent's image is made with, on a task's. */
interface AgentParts {
  work: { id: string; tag: string };
  /** The image of its program, by a name of exactly that one; undefined: it has no stage for it. */
  program: { id: string; tag: string } | undefined;
}

/** Names and key of an agent's image on a work image. Source of the name: spec/host §9. */
export function agentRef(
  { registry }: Pick<ImageContext, 'registry'>,
  agent: Agent,
  task: Pick<RunTask, 'id'>,
  { work, program }: AgentParts,
): PreparedRef {
  const repository = `${registry}/agent-${agent.name}/${task.id}`.toLowerCase();
  const files = digestOfFiles(hashFiles(agent.dir));
  const key = buildKey({ work: work.id, files, ...(program && { program: program.id }) });
  const named = `${repository}:${agent.version}`;
  return { repository, key, unique: `${repository}:k-${short(key)}`, named, agent: agent.folder };
}

/**
 * Builds it from the agent's folder, on the task's work image and with the program that was built before.
 * @throws FaultError when the folder has no usable Dockerfile, or a step fails
 */
export async function buildAgent(
  context: ImageContext,
  agent: Agent,
  task: RunTask,
  { work, program, ref }: AgentParts & { ref: PreparedRef },
): Promise<ImageInfo> {
  const path = join(agent.dir, 'Dockerfile');
  const text = readingDockerfile(path, () => readFileSync(path, 'utf8'));
  const perTask = (program && programStage(text)?.replacedBy(program.tag)) ?? text;
  const base = perTask.includes(PROGRAM_BASE) ? await ensureProgramBase(context) : PROGRAM_BASE;
  const { content, images } = readingDockerfile(path, () =>
    readAgentDockerfile(perTask, { agent: work.tag, program: base }),
  );
  await refuseAnswers(context, images, path);
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

/** Places that are ours in a container. A volume of the image's there would hide what we mount or made. */
const OURS = [
  CONTAINER.runtime,
  CONTAINER.program,
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

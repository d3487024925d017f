import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABEL } from '@ssebench/contracts/labels';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { ImageInfo } from '@ssebench/engine/image';
import { packDirectory } from '@ssebench/engine/tar';
import type { Agent } from '../config/agents.ts';
import { showPath } from '../config/show-path.ts';
import { digestOfFiles, hashFiles } from '../config/task-files.ts';
import { readProgramDockerfile } from './agent-dockerfile.ts';
import { readingDockerfile, refusal, refuseAnswers } from './agent-refusal.ts';
import { buildImage } from './build.ts';
import { buildKey, short } from './build-key.ts';
import type { ImageContext } from './context.ts';
import { contentOf, ensureFilledVolume, type VolumeContent } from './filled-volume.ts';
import { pinnedNodeVersion } from './node-binary.ts';
import type { PreparedRef } from './prepared.ts';
import { ensureProgramBase } from './program-base.ts';
import { type ProgramStage, programStage, sourceFiles } from './program-stage.ts';
import { proxyArgs } from './proxy.ts';

/** The heavy part of an agent: made once for all tasks, mounted where agents run. */
export interface Program {
  stage: ProgramStage;
  ref: PreparedRef;
  /** Its files in the agent's folder. */
  files: ReadonlySet<string>;
}

/** An agent's program as its folder has it now; undefined when it has none. Reads files only. */
export function programOf(
  { registry, home }: Pick<ImageContext, 'registry' | 'home'>,
  agent: Agent,
): Program | undefined {
  const stage = programStage(readFileSync(join(agent.dir, 'Dockerfile'), 'utf8'));
  if (!stage) return undefined;
  const hashes = hashFiles(agent.dir);
  const files = sourceFiles(stage, Object.keys(hashes));
  // Certificates and registries are how it is made, not what it is.
  const bases = ['images/base/root', 'images/program'].map((folder) => digestOfFiles(hashFiles(join(home, folder))));
  const key = buildKey({
    bases,
    node: pinnedNodeVersion(home),
    dockerfile: stage.content,
    files: digestOfFiles(Object.fromEntries(files.map((path) => [path, hashes[path] ?? '']))),
  });
  const repository = `${registry}/program-${agent.name}`.toLowerCase();
  const ref = { repository, key, unique: `${repository}:k-${short(key)}`, named: `${repository}:${agent.version}` };
  return { stage, ref, files: new Set(files) };
}

/** Builds it, with what it stands on. @throws FaultError when a step fails, or the stage takes what it may not */
export async function buildProgram(context: ImageContext, agent: Agent, program: Program): Promise<ImageInfo> {
  const { engine, signal } = context;
  const path = join(agent.dir, 'Dockerfile');
  const base = await ensureProgramBase(context);
  const { content, images } = readingDockerfile(path, () => readProgramDockerfile(program.stage.content, base));
  await refuseAnswers(context, images, path);
  const { ref, files } = program;
  const id = await buildImage(context, {
    role: 'program',
    context: packDirectory(agent.dir, {
      only: (file) => files.has(file),
      extra: [{ name: 'Dockerfile', content }],
    }),
    dockerfile: showPath(path),
    tags: [ref.unique, ref.named],
    labels: { [LABEL.key]: ref.key, [LABEL.agent]: agent.folder },
    buildArgs: proxyArgs(),
    blame: 'user',
  });
  const image = await engine.inspectImage(id, { signal });
  if (!image) throw refusal(`${showPath(path)}: the image of the program is gone again`);
  return image;
}

/** The volume that a program's image is in, by the image's content. */
export function programVolume(image: Pick<ImageInfo, 'id'>): string {
  return `ssebench-program-${short(image.id)}`;
}

/** Sees to it that the volume is there and complete. @throws FaultError when it can't be, or the program left nothing in its place */
export function ensureProgramVolume(context: ImageContext, agent: Agent, image: ImageInfo): Promise<void> {
  return ensureFilledVolume(context, {
    title: `program volume ${agent.folder}`,
    name: programVolume(image),
    labels: { [LABEL.key]: image.id, [LABEL.agent]: agent.folder },
    role: 'program',
    image: image.id,
    directory: CONTAINER.program,
    command: ['/bin/true'],
    content: () => contentIn(context, agent, image),
  });
}

async function contentIn(context: ImageContext, agent: Agent, image: ImageInfo): Promise<VolumeContent> {
  const { engine, signal } = context;
  const container = await engine.createContainer(
    {
      image: image.id,
      entrypoint: ['/bin/true'],
      cmd: [],
      labels: { [LABEL.role]: 'program' },
      network: 'none',
      capabilities: [],
      noNewPrivileges: true,
    },
    { signal },
  );
  try {
    const content = await contentOf(context, container, CONTAINER.program);
    if (Object.keys(content).length > 0) return content;
  } finally {
    await engine.remove(container, { force: true });
  }
  const place = showPath(join(agent.dir, 'Dockerfile'));
  throw refusal(`${place}: the stage "program" left nothing in ${CONTAINER.program}, which is all that is kept of it`);
}

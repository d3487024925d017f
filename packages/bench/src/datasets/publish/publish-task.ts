import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type PrebuiltImages, PublicationRecord } from '@ssebench/contracts/dataset-manifest';
import { parseJson } from '@ssebench/contracts/json-document';
import { UserError } from '../../cli/errors.ts';
import type { Agent } from '../../config/agents.ts';
import { showPath } from '../../config/show-path.ts';
import { asUserError } from '../../config/yaml-document.ts';
import { caseName } from '../../images/case.ts';
import type { ImageContext } from '../../images/context.ts';
import { type EnsuredImage, ensureImages, ensureRuntime } from '../../images/ensure.ts';
import { runtimeIdentity } from '../../images/runtime.ts';
import { writeFileAtomic } from '../../results/atomic-write.ts';
import { extraCaOf, type Publishable, WITHOUT_CA } from './publishable.ts';
import { pushImage } from './push-image.ts';

/** Where images go, and what is written down of it. */
export interface Destination {
  /** Prefix of image names there. */
  registry: string;
  /** The commit that holds the task. */
  revision: string;
  /** Absolute; records go to `published/` in it. */
  output: string;
  /** Whose images are published too, with the work and tool images that they need. */
  agents: readonly Agent[];
}

/** The path of a task's record. */
export function recordPath(output: string, task: string): string {
  return join(output, 'published', `${task}.json`);
}

/**
 * Pushes a task's case image, and what its runs with these agents need, and writes its record once everything is there.
 * Source: spec/host §5.5.
 * @throws UserError when the registry refuses, and for images that must not be published
 */
export async function publishTask(
  context: ImageContext,
  { task, version, image }: Publishable,
  destination: Destination,
): Promise<PublicationRecord> {
  const { registry, revision, output, agents } = destination;
  const name = caseName(task);
  const tags: [string, string] = [`${version}-${revision.slice(0, 7)}`, version];
  const others = agents.length > 0 ? await imagesOf(context, task, agents) : undefined;
  const [first, second] = tags;
  const digest = await pushImage(context, image.id, [`${registry}/${name}:${first}`, `${registry}/${name}:${second}`]);
  const record: PublicationRecord = {
    task: task.id,
    dataset: task.dataset,
    version,
    image: name,
    tags,
    digest,
    files_sha256: task.filesDigest,
    revision,
  };
  const path = recordPath(output, task.id);
  const known = earlier(path, { digest, registry });
  const pushed = others && (await pushOthers(context, others, registry));
  const prebuilt =
    known && pushed && sameBasis(known, pushed)
      ? { ...pushed, agents: { ...known.agents, ...pushed.agents } }
      : (pushed ?? known);
  if (prebuilt) Object.assign(record, { prebuilt, registry });
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, `${JSON.stringify(record, null, 2)}\n`);
  return record;
}

interface Others {
  runtime: EnsuredImage;
  work: EnsuredImage;
  tool: EnsuredImage;
  agents: { folder: string; image: EnsuredImage; program: EnsuredImage | undefined }[];
}

/** Made where they are missing, as a run would. */
async function imagesOf(context: ImageContext, task: Publishable['task'], agents: readonly Agent[]): Promise<Others> {
  const runtime = await runtimeIdentity(context);
  await ensureRuntime(context, runtime);
  const runtimeImage = await context.engine.inspectImage(runtime.image, { signal: context.signal });
  if (!runtimeImage) throw new UserError(`${runtime.image}: is gone again`);
  const found: Others['agents'] = [];
  let shared: Pick<Others, 'work' | 'tool'> | undefined;
  for (const agent of agents) {
    const { work, tool, agentImage, program } = await ensureImages({ ...context, task, agent });
    if (!work || !agentImage) throw new UserError(`${task.id}: the images of "${agent.folder}" were not made`);
    shared = { work, tool };
    found.push({ folder: agent.folder, image: agentImage, program });
  }
  if (!shared) throw new UserError(`${task.id}: no agent was named`);
  const others: Others = { runtime: { id: runtimeImage.id, tag: runtime.image }, ...shared, agents: found };
  const all = [
    others.runtime,
    others.work,
    others.tool,
    ...found.flatMap(({ image, program }) => [image, program ?? []].flat()),
  ];
  for (const { id } of all) {
    const image = await context.engine.inspectImage(id, { signal: context.signal });
    const trust = image && extraCaOf(image);
    if (trust) throw new UserError(`${task.id}: ${trust}; ${WITHOUT_CA}`);
  }
  return others;
}

/** Under the names of exactly their content, so that no later version takes the name away from what a lock names. */
async function pushOthers(context: ImageContext, others: Others, registry: string): Promise<PrebuiltImages> {
  const push = ({ id, tag }: EnsuredImage) => pushImage(context, id, [registry + tag.slice(context.registry.length)]);
  const agents: PrebuiltImages['agents'] = {};
  const runtime = await push(others.runtime);
  const work = await push(others.work);
  const tool = await push(others.tool);
  for (const { folder, image, program } of others.agents)
    agents[folder] = { image: await push(image), ...(program && { program: await push(program) }) };
  return { ssebench: context.version, runtime, work, tool, agents };
}

/** What was published with the same case image, in the same place, before. */
function earlier(path: string, now: { digest: string; registry: string }): PrebuiltImages | undefined {
  if (!existsSync(path)) return undefined;
  const { digest, registry, prebuilt } = readRecord(path);
  return digest === now.digest && registry === now.registry ? prebuilt : undefined;
}

function sameBasis(one: PrebuiltImages, other: PrebuiltImages): boolean {
  return one.runtime === other.runtime && one.work === other.work && one.tool === other.tool;
}

/** @throws UserError for what is no record */
export function readRecord(path: string): PublicationRecord {
  return asUserError(() => parseJson(readFileSync(path, 'utf8'), PublicationRecord, showPath(path)));
}

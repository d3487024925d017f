import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import type { RunImages } from '@ssebench/contracts/summary';
import { isEngineError } from '@ssebench/engine/errors';
import type { ImageInfo } from '@ssebench/engine/image';
import type { Agent } from '../config/agents.ts';
import type { RunTask, Task } from '../config/tasks.ts';
import { agentCommand, agentRef, buildAgent } from './agent.ts';
import { buildCase, caseBases, caseName, findCase } from './case.ts';
import { ensureCaseBases, planBases } from './case-bases.ts';
import type { ImageContext } from './context.ts';
import { diskNotice, type PlannedImage } from './disk.ts';
import { readExtraCa } from './extra-ca.ts';
import { buildPrepared, findPrepared, type PreparedRef, preparedRef, type Variant } from './prepared.ts';
import { buildProgram, ensureProgramVolume, type Program, programOf, programVolume } from './program.ts';
import { pullCase } from './pull.ts';
import { ensureRoot, hasRoot, rootImage } from './root.ts';
import { ensureRuntimeImage, type RuntimeIdentity, runtimeIdentity } from './runtime.ts';
import { ensureRuntimeVolume, hasRuntimeVolume } from './runtime-volume.ts';
import { seedPrebuilt } from './seed-prebuilt.ts';
import { CASE_LABEL, removeOldPrograms, removeStale } from './stale.ts';

export interface ImagesRequest extends ImageContext {
  task: RunTask;
  /** Its image is made too, and the work image beneath; without one there is only something to grade with. */
  agent?: Agent | undefined;
  /** Only published images are used, and nothing is built. */
  prebuilt?: boolean;
}

export interface EnsuredImage {
  /** `sha256:…` */
  id: string;
  /** A name of exactly this image. */
  tag: string;
}

export interface EnsuredImages {
  runtime: { hash: string; image: string; volume: string };
  caseImage: EnsuredImage & { env: Readonly<Record<string, string>> };
  work?: EnsuredImage;
  tool: EnsuredImage;
  /** The agent's program, where it has a stage for it, and the volume that holds it. */
  program?: EnsuredImage & { volume: string };
  agentImage?: EnsuredImage & { cmd: string[]; env: Readonly<Record<string, string>>; workdir: string };
  /** Where the case image was pulled from; null: it was built here. */
  pulled: RunImages['pulled'];
  /** The image that the task's Dockerfile ends on. */
  baseTag: string;
}

/**
 * Everything that a run of this task needs on the engine. What is there and was made from the same inputs is taken as it is: then
 * nothing is asked but to inspect. Otherwise it is built, bottom up, after saying how much disk that takes.
 * @throws FaultError `image_build_failed` | `image_unusable`
 * @throws EngineError when the engine fails, or with `aborted`
 */
export async function ensureImages(request: ImagesRequest): Promise<EnsuredImages> {
  const { task, agent } = request;
  const runtime = await runtimeIdentity(request);
  const variants: Variant[] = agent ? ['work', 'tool'] : ['tool'];

  const program = agent && programOf(request, agent);
  const pulled = await pullCase(request, task);
  if (request.prebuilt) {
    if (!pulled) throw notPublished(request);
    await seedPrebuilt(request, pulled.image, { runtime, agent, program });
  }
  const folder = pulled ? undefined : folderOf(task);
  const found = await survey(request, pulled?.image ?? (folder && (await findCase(request, folder))), {
    runtime,
    variants,
    program,
  });
  const notice = diskNotice(await plan(request, found, { variants, program, folder }));
  if (notice) request.progress.notice(notice);

  const caseImage = await step(request, `case image ${task.dataset}/${task.id}`, found.case, async () => {
    const source = folder ?? folderOf(task);
    const baseRegistry = await ensureCaseBases(request, caseBases(request, source).all);
    return () => buildCase(request, source, baseRegistry);
  });
  // After the case image: what is wrong with a task, or keeps its base away, is told before minutes are spent on what is ours.
  if (!found.volume || variants.some((variant) => !found[variant])) await ensureRuntime(request, runtime);
  const built: PreparedRef[] = [];
  const prepared = async (variant: Variant): Promise<EnsuredImage> => {
    const ref = preparedRef(request, variant, task, caseImage, runtime);
    const image = await step(request, `${variant} image ${task.id}`, found[variant], async () => {
      built.push(ref);
      return () => buildPrepared(request, variant, task, { caseImage, ref, runtime });
    });
    return { id: image.id, tag: ref.unique };
  };
  const work = agent && (await prepared('work'));
  const tool = await prepared('tool');
  const programImage = agent && program && (await ensureProgram(request, agent, program, found.program));
  const agentImage = agent && work && (await ensureAgent(request, agent, { work, program: programImage }, built));
  await clean(request, built, caseImage);
  return {
    runtime: { hash: runtime.hash, image: runtime.image, volume: runtime.volume },
    caseImage: { id: caseImage.id, tag: caseTag(request, pulled !== undefined), env: caseImage.env },
    ...(work && { work }),
    tool,
    ...(programImage && { program: programImage }),
    ...(agentImage && { agentImage }),
    pulled: pulled?.from ?? null,
    baseTag: folder ? caseBases(request, folder).final : `${request.registry}/${task.published?.base}`,
  };
}

/** The task as its folder has it. */
function folderOf({ dir, filesDigest, ...task }: RunTask): Task {
  if (dir !== null && filesDigest !== null) return { ...task, dir, filesDigest };
  throw new FaultError(fault('internal', `${task.id}: there is neither a folder nor a published image`));
}

function notPublished({ registry, task }: ImagesRequest): FaultError {
  const remedy = 'set SSEBENCH_REGISTRY to the prefix that the dataset was published under, or leave --prebuilt away';
  const detail = `${task.id}: no image under ${registry} was published\n${remedy}`;
  return new FaultError(fault('image_unavailable', detail, { retryable: false }));
}

function caseTag({ registry, task }: ImagesRequest, pulled: boolean): string {
  const name = `${registry}/${caseName(task)}`;
  return pulled && task.published ? `${registry}/${task.published.image}:${task.published.version}` : name;
}

async function ensureProgram(
  request: ImagesRequest,
  agent: Agent,
  program: Program,
  found: ImageInfo | undefined,
): Promise<NonNullable<EnsuredImages['program']>> {
  const image = await step(request, `program of ${agent.folder}`, found, async () => () => {
    return buildProgram(request, agent, program);
  });
  await ensureProgramVolume(request, agent, image);
  if (!found) await removeOldPrograms(request, agent.folder, { tag: program.ref.unique, volume: programVolume(image) });
  return { id: image.id, tag: program.ref.unique, volume: programVolume(image) };
}

async function ensureAgent(
  request: ImagesRequest,
  agent: Agent,
  parts: { work: EnsuredImage; program: EnsuredImage | undefined },
  built: PreparedRef[],
): Promise<NonNullable<EnsuredImages['agentImage']>> {
  const ref = agentRef(request, agent, request.task, parts);
  const image = await step(request, `agent image ${agent.folder}`, await findPrepared(request, ref), async () => {
    built.push(ref);
    return () => buildAgent(request, agent, request.task, { ...parts, ref });
  });
  return { id: image.id, tag: ref.unique, cmd: agentCommand(agent, image), env: image.env, workdir: image.workdir };
}

interface Found {
  case: ImageInfo | undefined;
  volume: boolean;
  work?: ImageInfo | undefined;
  tool?: ImageInfo | undefined;
  program: ImageInfo | undefined;
}

async function survey(
  request: ImagesRequest,
  caseImage: ImageInfo | undefined,
  {
    runtime,
    variants,
    program,
  }: { runtime: RuntimeIdentity; variants: readonly Variant[]; program: Program | undefined },
): Promise<Found> {
  const [volume, programImage] = await Promise.all([
    hasRuntimeVolume(request, runtime),
    program && findPrepared(request, program.ref),
  ]);
  const found: Found = { case: caseImage, volume, program: programImage };
  if (!caseImage) return found;
  await Promise.all(
    variants.map(async (variant) => {
      found[variant] = await findPrepared(request, preparedRef(request, variant, request.task, caseImage, runtime));
    }),
  );
  return found;
}

/** What the user should know of before it begins; an agent's image is small or unknown. */
async function plan(
  request: ImagesRequest,
  found: Found,
  {
    variants,
    program,
    folder,
  }: { variants: readonly Variant[]; program: Program | undefined; folder: Task | undefined },
): Promise<PlannedImage[]> {
  const missing = variants.filter((variant) => !found[variant]);
  const bases = found.case || !folder ? [] : await planBases(request, caseBases(request, folder).all);
  return [
    ...bases,
    ...(found.volume ? [] : (['runtime'] as const)),
    ...(found.case ? [] : (['case'] as const)),
    ...missing,
    ...(program && !found.program ? (['program'] as const) : []),
  ];
}

/** The image is needed to build on, the volume to run; making the image takes the init from the root image. */
export async function ensureRuntime(request: ImageContext, runtime: RuntimeIdentity): Promise<void> {
  const content = await ensureRuntimeImage(request, runtime, async () => {
    const ca = readExtraCa(request.extraCa);
    const root = rootImage(request, ca);
    if (!(await hasRoot(request, root))) await ensureRoot(request, root, ca);
    return root;
  });
  await ensureRuntimeVolume(request, runtime, content);
}

/** One image: what was found, or what `prepare` says how to build, told as a step of its own. */
async function step(
  { progress }: ImageContext,
  name: string,
  found: ImageInfo | undefined,
  prepare: () => Promise<() => Promise<ImageInfo>>,
): Promise<ImageInfo> {
  const build = found ? undefined : await prepare();
  progress.step(name);
  const image = found ?? (await build?.());
  if (!image) throw new Error(`${name}: neither found nor built`);
  progress.done(found !== undefined);
  return image;
}

/** After something was built, its predecessors have had their time. What can't be removed now is removed another time. */
async function clean(request: ImagesRequest, built: readonly PreparedRef[], caseImage: ImageInfo): Promise<void> {
  try {
    await removePredecessors(request, built, caseImage);
  } catch (error) {
    if (!isEngineError(error) || error.code === 'aborted') throw error;
    request.progress.line(error.message);
  }
}

async function removePredecessors(
  request: ImagesRequest,
  built: readonly PreparedRef[],
  caseImage: ImageInfo,
): Promise<void> {
  const name = caseName(request.task);
  if (await isRunning(request, name)) return;
  for (const { repository, unique, agent } of built)
    await removeStale(request, repository, unique, { [CASE_LABEL]: name, ...(agent && { [LABEL.agent]: agent }) });
  if (built.length === 0) return;
  const repository = `${request.registry}/${name}`;
  const pinned = caseImage.id.replace(/^sha256:/, '').slice(0, 12);
  await removeStale(request, repository, `${repository}:i-${pinned}`, { [LABEL.role]: 'case' });
}

/** Whether a run of the task is under way: another version of the harness, or of the task, may still want what it began with. */
async function isRunning({ engine, signal }: Pick<ImagesRequest, 'engine' | 'signal'>, name: string): Promise<boolean> {
  const containers = await engine.listContainers({ [CASE_LABEL]: name }, { signal });
  return containers.some(({ labels }) => labels[LABEL.runId] !== undefined);
}

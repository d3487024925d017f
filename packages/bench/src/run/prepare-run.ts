import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import type { EngineDescription } from '@ssebench/contracts/summary';
import type { ContainerSpec } from '@ssebench/engine/container';
import type { ContainerEngine, EngineAbilities } from '@ssebench/engine/port';
import type { Agent } from '../config/agents.ts';
import { type EnsuredImages, ensureImages } from '../images/ensure.ts';
import { cachedAbilities } from './cached-abilities.ts';
import type { RunFrame } from './container-spec.ts';
import { lowDiskFault, NO_USE } from './disk-rules.ts';
import { effectiveLimits } from './effective-limits.ts';
import { type HostDisk, lookAtDisks, placesOf } from './host-disks.ts';
import { allowedAbilities } from './host-mounts.ts';
import type { GradePlan, RunPlan } from './plan.ts';
import type { Stage } from './run-scene.ts';
import type { RunContext } from './run-stage.ts';

/** What must stand before a container of a run can be made. */
export interface Prepared {
  images: EnsuredImages;
  /** Of a container of the tool image that is never started: the task's answers are copied from it. */
  answersSpec: ContainerSpec;
  abilities: EngineAbilities;
  description: EngineDescription;
}

interface Preparation extends Pick<Stage, 'record' | 'signal' | 'directory' | 'owner'> {
  /** Undefined when only a patch is graded. */
  agent: Agent | undefined;
}

/** Asks the engine what it is and can do, and makes or finds every image that the run needs. All of it goes into the record. */
export async function prepareRun(
  plan: Pick<GradePlan, 'task' | 'limits' | 'extraCa' | 'runId'> & Partial<Pick<RunPlan, 'prebuilt'>>,
  context: RunContext,
  engine: ContainerEngine,
  { record, signal, directory, owner, agent }: Preparation,
): Promise<Prepared> {
  const [version, info] = await record.during('start', 'engine', () =>
    Promise.all([engine.version({ signal }), engine.info({ signal })]),
  );
  const description: EngineDescription = {
    name: version.product,
    version: version.version,
    api_version: version.apiVersion,
    arch: info.architecture,
  };
  record.engine = description;
  const cacheDir = join(context.workspace, '.cache');
  const found = await record.during('start', 'probes', () =>
    cachedAbilities(engine, { info, version, cacheDir, directory, owner, signal }),
  );
  const abilities = allowedAbilities(found, context.hostMounts);
  refuseUnable(engine, abilities);
  const places = placesOf(directory.live, engine.address, info);
  const disks = await lookAtDisks(places);
  refuseLowDisk(disks);
  const diskBytes = disks.find(({ holds }) => holds.layers)?.size.bytes;
  record.limits = effectiveLimits(plan.limits, { ...info, diskBytes }, abilities.limits);
  const images = await record.during('prepare', 'images', () =>
    ensureImages({
      engine,
      home: context.home,
      registry: context.registry,
      version: context.version,
      debianMirror: context.debianMirror,
      task: plan.task,
      agent,
      prebuilt: plan.prebuilt ?? false,
      extraCa: plan.extraCa,
      progress: context.progress,
      signal,
    }).catch(async (error: unknown) => {
      refuseLowDisk(await lookAtDisks(places));
      throw error;
    }),
  );
  record.images = {
    case: images.caseImage.id,
    work: images.work?.id ?? null,
    tool: images.tool.id,
    agent: images.agentImage?.id ?? null,
    program: images.program?.id ?? null,
    runtime: images.runtime.hash,
    pulled: images.pulled,
  };
  const answersSpec = answersContainer(images.tool.id, {
    runId: plan.runId,
    resultsPath: directory.path,
    ownerSocket: owner.socket,
  });
  return { images, abilities, description, answersSpec };
}

function refuseUnable({ address }: ContainerEngine, { users, reasons }: EngineAbilities): void {
  if (users) return;
  const why = `${reasons['users']}; give the engine's user a range of subordinate ids (/etc/subuid, /etc/subgid)`;
  throw new FaultError(
    fault('engine_refused', `in a container of the engine at ${address} root can't become another user: ${why}`, {
      retryable: false,
    }),
  );
}

/** A build that fails on a full disk, or a run that would be stopped soon, is nobody's fault but the host's. */
function refuseLowDisk(disks: readonly HostDisk[]): void {
  for (const disk of disks) {
    const low = lowDiskFault(disk, disk, NO_USE, 'prepare');
    if (low) throw new FaultError(low);
  }
}

/** A container of the tool image that is never started: the task's answers are copied from it. */
export function answersContainer(
  image: string,
  { runId, resultsPath, ownerSocket }: Pick<RunFrame, 'runId' | 'resultsPath' | 'ownerSocket'>,
): ContainerSpec {
  return {
    image,
    entrypoint: ['/bin/true'],
    labels: {
      [LABEL.role]: 'answers',
      [LABEL.runId]: runId,
      [LABEL.results]: resultsPath,
      [LABEL.owner]: ownerSocket,
    },
    network: 'none',
    capabilities: [],
    noNewPrivileges: true,
  };
}

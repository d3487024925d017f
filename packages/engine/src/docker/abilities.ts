import { tmpdir } from 'node:os';
import { LABEL } from '@ssebench/contracts/labels';
import type { ContainerSpec } from '../container.ts';
import { isEngineError } from '../errors.ts';
import type { AbilitiesOptions, CallOptions, ContainerEngine, EngineAbilities, EngineVersion } from '../port.ts';
import { packEntries } from '../tar.ts';
import { probeHostMounts } from './mount-probe.ts';
import { probeRun } from './run-probe.ts';
import type { Transport } from './transport.ts';

/** What the engine's calls are, apart from those that are built on them. */
export type EngineCalls = Omit<ContainerEngine, 'abilities'>;

/** What a probe has found: the ability is there, or why it is not. */
export type Finding = { there: true } | { there: false; reason: string };

/** Engines in which root may be less than a run's root has to be. Podman 4 does not say that it is one. */
const DOUBTFUL = ['rootless', 'userns'];

const LIMIT_OF = { memory: 'MemoryLimit', cpus: 'CpuCfsQuota', pids: 'PidsLimit' } as const;

interface WireLimits {
  MemoryLimit: boolean;
  CpuCfsQuota: boolean;
  PidsLimit: boolean;
}

/** Finds out what an engine can do by trying it: what it says about itself is not always so. */
export async function probe(
  transport: Transport,
  version: EngineVersion,
  calls: EngineCalls,
  { hostDirectory = tmpdir(), socketDirectory = hostDirectory, ...options }: AbilitiesOptions,
): Promise<EngineAbilities> {
  const call = { operation: 'ask for the limits of the container engine', method: 'GET', path: '/info' } as const;
  const says = await transport.json<WireLimits>(call, options);
  const info = await calls.info(options);
  const labels = { [LABEL.role]: 'probe' };
  const image = await calls.importImage({
    ...options,
    rootfs: packEntries([{ name: 'probe', directory: true }]),
    ref: `ssebench-probe:${process.pid}-${Date.now()}`,
    labels,
  });
  const spec: ContainerSpec = {
    image,
    cmd: ['/probe'],
    labels,
    network: 'none',
    capabilities: [],
    noNewPrivileges: true,
  };
  try {
    const host = await probeHostMounts(calls, spec, hostDirectory, options);
    const sockets =
      socketDirectory === hostDirectory ? host : await probeHostMounts(calls, spec, socketDirectory, options);
    const limits = (['memory', 'cpus', 'pids'] as const).filter((name) => says[LIMIT_OF[name]]);
    const directories = {
      host: host.there ? hostDirectory : undefined,
      sockets: sockets.there ? socketDirectory : undefined,
    };
    // Where nothing of ours is mounted, the program must be sent: that is worth it only where there is a doubt.
    const isDoubtful = version.product === 'podman' || info.securityOptions.some((it) => DOUBTFUL.includes(it));
    const run =
      host.there || sockets.there || isDoubtful
        ? await probeRun({ calls, spec, directories, limits, options })
        : undefined;
    const limit = (name: keyof typeof LIMIT_OF): Finding =>
      says[LIMIT_OF[name]]
        ? (run?.[name] ?? THERE)
        : missing('the kernel has no such control group, or the engine may not use it');
    const found = {
      hostMounts: host.there ? (run?.hostMounts ?? THERE) : host,
      socketMounts: sockets.there ? (run?.socketMounts ?? THERE) : sockets,
      users: run?.users ?? THERE,
      memory: limit('memory'),
      cpus: limit('cpus'),
      pids: limit('pids'),
      disk: await probeDiskLimit(calls, spec, options),
      buildkit: buildkit(version),
    };
    const { memory, cpus, pids, disk } = found;
    return {
      hostMounts: found.hostMounts.there,
      socketMounts: found.socketMounts.there,
      users: found.users.there,
      limits: { memory: memory.there, cpus: cpus.there, pids: pids.there, disk: disk.there },
      buildkit: found.buildkit.there,
      reasons: Object.fromEntries(
        Object.entries(found).flatMap(([name, finding]) => (finding.there ? [] : [[name, finding.reason]])),
      ),
    };
  } finally {
    await calls.removeImage(image, { force: true });
  }
}

/** Docker's is there in all versions that we talk to; Podman's builder knows `RUN --mount=type=bind,from=` since 4.0. */
function buildkit({ product, version }: EngineVersion): Finding {
  const isOld = product === 'podman' && Number.parseInt(version, 10) < 4;
  return isOld ? missing(`Podman ${version} does not know RUN --mount of other images, 4.0 does`) : THERE;
}

async function probeDiskLimit(calls: EngineCalls, spec: ContainerSpec, options: CallOptions): Promise<Finding> {
  const limited = { ...spec, limits: { diskBytes: 64 * 1024 * 1024 } };
  return withContainer(calls, limited, options, async () => THERE);
}

/** Creates a container for the time of a probe. An engine that refuses it lacks what the container asks for. */
export async function withContainer(
  calls: EngineCalls,
  spec: ContainerSpec,
  options: CallOptions,
  use: (id: string) => Promise<Finding>,
): Promise<Finding> {
  let id: string | undefined;
  try {
    id = await calls.createContainer(spec, options);
    return await use(id);
  } catch (error) {
    if (isEngineError(error, 'refused', 'not_found', 'conflict')) return missing(error.detail);
    throw error;
  } finally {
    if (id !== undefined) await calls.remove(id, { force: true, volumes: true });
  }
}

export const THERE: Finding = { there: true };

export function missing(reason: string): Finding {
  return { there: false, reason: reason.length > MAX_REASON ? `… ${reason.slice(-MAX_REASON)}` : reason };
}

/** Engines tell a chain of causes, the last of which counts. Characters. */
const MAX_REASON = 300;

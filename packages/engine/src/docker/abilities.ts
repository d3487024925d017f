import { LABEL } from '@ssebench/contracts/labels';
import type { ContainerSpec } from '../container.ts';
import { isEngineError } from '../errors.ts';
import type { AbilitiesOptions, CallOptions, ContainerEngine, EngineAbilities, EngineVersion } from '../port.ts';
import { packEntries } from '../tar.ts';
import { probeHostMounts, probeSocketMounts } from './mount-probe.ts';
import type { Transport } from './transport.ts';

/** What the engine's calls are, apart from those that are built on them. */
export type EngineCalls = Omit<ContainerEngine, 'abilities'>;

/** What a probe has found: the ability is there, or why it is not. */
export type Finding = { there: true } | { there: false; reason: string };

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
  { hostDirectory, ...options }: AbilitiesOptions,
): Promise<EngineAbilities> {
  const call = { operation: 'ask for the limits of the container engine', method: 'GET', path: '/info' } as const;
  const says = await transport.json<WireLimits>(call, options);
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
    const found = {
      hostMounts: await probeHostMounts(calls, spec, hostDirectory, options),
      socketMounts: await probeSocketMounts(calls, spec, hostDirectory, options),
      memory: controlGroup(says.MemoryLimit),
      cpus: controlGroup(says.CpuCfsQuota),
      pids: controlGroup(says.PidsLimit),
      disk: await probeDiskLimit(calls, spec, options),
      buildkit: version.product === 'docker' ? THERE : missing('Podman builds with a builder of its own'),
    };
    const { memory, cpus, pids, disk } = found;
    return {
      hostMounts: found.hostMounts.there,
      socketMounts: found.socketMounts.there,
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
  return { there: false, reason };
}

function controlGroup(there: boolean): Finding {
  return there ? THERE : missing('the kernel has no such control group, or the engine may not use it');
}

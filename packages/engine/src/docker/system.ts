import type { ContainerEngine, EngineInfo, EngineVersion } from '../port.ts';
import { LIMIT } from './limits.ts';
import type { Transport } from './transport.ts';

interface WireInfo {
  ID: string;
  Name: string;
  NCPU: number;
  MemTotal: number;
  DockerRootDir: string;
  Driver: string;
  CgroupVersion?: string;
  Architecture: string;
  KernelVersion: string;
  OperatingSystem: string;
  SecurityOptions: string[] | null;
}

interface WireDiskUsage {
  /** Podman says 0. */
  LayersSize: number;
  Images: { Size: number }[] | null;
  Containers: { SizeRw?: number }[] | null;
  Volumes: { UsageData?: { Size: number } | null }[] | null;
  BuildCache: { Size: number; Shared: boolean }[] | null;
}

/** What an engine says about itself. */
export function systemCalls(
  transport: Transport,
  version: EngineVersion,
): Pick<ContainerEngine, 'address' | 'ping' | 'version' | 'info' | 'diskUsage' | 'close'> {
  let known: EngineInfo | undefined;
  return {
    address: transport.address,
    async ping(options) {
      const call = { operation: 'ask the container engine', method: 'GET', path: '/version' } as const;
      await transport.json(call, options, LIMIT.connect);
    },
    async version() {
      return version;
    },
    async info(options) {
      const call = { operation: 'ask what the container engine has', method: 'GET', path: '/info' } as const;
      known ??= readInfo(await transport.json<WireInfo>(call, options), version.product);
      return known;
    },
    async diskUsage(options) {
      const call = { operation: 'ask what disk is used', method: 'GET', path: '/system/df' } as const;
      const usage = await transport.json<WireDiskUsage>(call, options, LIMIT.diskUsage);
      return {
        imageBytes: usage.LayersSize || sum(usage.Images, (image) => image.Size),
        containerBytes: sum(usage.Containers, (container) => container.SizeRw ?? 0),
        // -1: the volume's driver can't say.
        volumeBytes: sum(usage.Volumes, (volume) => Math.max(0, volume.UsageData?.Size ?? 0)),
        // What is shared is counted with the images.
        buildCacheBytes: sum(usage.BuildCache, (record) => (record.Shared ? 0 : record.Size)),
      };
    },
    close: () => transport.close(),
  };
}

function readInfo(info: WireInfo, product: EngineVersion['product']): EngineInfo {
  return {
    // Podman makes up another ID for each answer.
    engineId: product === 'podman' ? `${info.Name}:${info.DockerRootDir}` : info.ID,
    cpus: info.NCPU,
    memoryBytes: info.MemTotal,
    rootDirectory: info.DockerRootDir,
    storageDriver: info.Driver,
    cgroupVersion: info.CgroupVersion === '2' ? 2 : 1,
    architecture: nodeArchitecture(info.Architecture),
    kernel: info.KernelVersion,
    operatingSystem: info.OperatingSystem,
    securityOptions: (info.SecurityOptions ?? []).map(optionName),
  };
}

/** `name=seccomp,profile=default` → `seccomp`. */
function optionName(option: string): string {
  return /name=([^,]+)/.exec(option)?.[1] ?? option;
}

/** Engines say `x86_64` of themselves and `amd64` of images; Node.js says `x64`. */
export function nodeArchitecture(name: string): string {
  if (name === 'x86_64' || name === 'amd64') return 'x64';
  if (name === 'aarch64') return 'arm64';
  return name;
}

function sum<T>(items: readonly T[] | null, bytes: (item: T) => number): number {
  return (items ?? []).reduce((total, item) => total + bytes(item), 0);
}

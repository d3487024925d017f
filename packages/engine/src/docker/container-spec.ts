import type { ContainerSpec, Mount } from '../container.ts';
import type { EngineVersion } from '../port.ts';
import { ourLabels } from './labels.ts';

/**
 * How an engine keeps a container's output: bounded, since a program that prints without end must not fill the disk, and
 * byte for byte, which Docker's default (`json-file`) is not.
 */
const LOG: Record<EngineVersion['product'], object> = {
  docker: { Type: 'local', Config: { 'max-size': '64m', 'max-file': '2', compress: 'false' } },
  podman: { Type: 'k8s-file', Config: { 'max-size': '64m' } },
};

/** Takes a variable of the image's away. For Podman a name alone means one of its own environment. */
const REMOVED: Record<EngineVersion['product'], (name: string) => string> = {
  docker: (name) => name,
  podman: (name) => `${name}=`,
};

/** The request body that creates a container. */
export function containerBody(spec: ContainerSpec, product: EngineVersion['product']): object {
  const { limits = {} } = spec;
  return {
    Image: spec.image,
    Entrypoint: spec.entrypoint,
    Cmd: spec.cmd,
    Env: Object.entries(spec.env ?? {}).map(([name, value]) =>
      value === null ? REMOVED[product](name) : `${name}=${value}`,
    ),
    Labels: ourLabels(spec.labels),
    Hostname: spec.hostname,
    User: spec.user,
    WorkingDir: spec.workdir,
    StopSignal: spec.stopSignal,
    // A command of the image's that the engine would run now and then, as the container's user.
    Healthcheck: { Test: ['NONE'] },
    Tty: false,
    OpenStdin: false,
    HostConfig: {
      Mounts: (spec.mounts ?? []).map(mountBody),
      NetworkMode: spec.network === 'none' ? 'none' : spec.network.bridge,
      ExtraHosts: Object.entries(spec.extraHosts ?? {}).map(([name, address]) => `${name}:${address}`),
      CapDrop: ['ALL'],
      CapAdd: spec.capabilities,
      SecurityOpt: spec.noNewPrivileges ? ['no-new-privileges'] : [],
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: limits.cpus === undefined ? undefined : Math.round(limits.cpus * 1e9),
      PidsLimit: limits.pids,
      StorageOpt: limits.diskBytes === undefined ? undefined : { size: String(limits.diskBytes) },
      ReadonlyRootfs: spec.readOnlyRootfs ?? false,
      Sysctls: spec.sysctls,
      Init: false,
      RestartPolicy: { Name: 'no' },
      LogConfig: LOG[product],
    },
  };
}

function mountBody(mount: Mount): object {
  switch (mount.type) {
    case 'bind':
      return { Type: 'bind', Source: mount.source, Target: mount.target, ReadOnly: mount.readOnly };
    case 'volume':
      return { Type: 'volume', Source: mount.name, Target: mount.target, ReadOnly: mount.readOnly };
    case 'tmpfs': {
      const options = { SizeBytes: mount.sizeBytes, Mode: mount.mode };
      return { Type: 'tmpfs', Target: mount.target, TmpfsOptions: options };
    }
  }
}

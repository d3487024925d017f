import { EngineError } from '../errors.ts';
import type { ContainerEngine, VolumeInfo } from '../port.ts';
import { isLabelled, OURS, ourLabels } from './labels.ts';
import { LIMIT } from './limits.ts';
import type { Transport } from './transport.ts';

interface WireVolume {
  Name: string;
  Labels: Record<string, string> | null;
  CreatedAt?: string;
}

export function volumeCalls(
  transport: Transport,
): Pick<ContainerEngine, 'createVolume' | 'inspectVolume' | 'removeVolume' | 'listVolumes'> {
  return {
    async createVolume(name, labels, options) {
      const body = { Name: name, Driver: 'local', Labels: ourLabels(labels) };
      const call = { operation: `create volume ${name}`, method: 'POST', path: '/volumes/create', body } as const;
      await transport.json(call, options, LIMIT.change);
    },
    async inspectVolume(name, options) {
      const call = { operation: `inspect volume ${name}`, method: 'GET', path: path(name) } as const;
      const volume = await transport.find<WireVolume>(call, options);
      return volume && readVolume(volume);
    },
    async removeVolume(name, options) {
      const call = { operation: `remove volume ${name}`, method: 'DELETE', path: path(name) } as const;
      await transport.json(call, options, LIMIT.change);
    },
    async listVolumes(labels, options) {
      const query = { filters: JSON.stringify({ label: OURS }) };
      const call = { operation: 'list volumes', method: 'GET', path: '/volumes', query } as const;
      const { Volumes } = await transport.json<{ Volumes: WireVolume[] | null }>(call, options);
      return (Volumes ?? []).map(readVolume).filter((volume) => isLabelled(volume.labels, labels));
    },
  };
}

function path(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name)) return `/volumes/${name}`;
  throw new EngineError('not_found', { operation: 'find volume', detail: `"${name}" is not the name of a volume` });
}

function readVolume(volume: WireVolume): VolumeInfo {
  return { name: volume.Name, labels: volume.Labels ?? {}, createdAt: new Date(volume.CreatedAt ?? 0) };
}

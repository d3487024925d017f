import { EngineError } from '../errors.ts';
import type { ContainerEngine, NetworkInfo } from '../port.ts';
import { isLabelled, OURS, ourLabels } from './labels.ts';
import { LIMIT } from './limits.ts';
import type { Transport } from './transport.ts';

interface WireNetwork {
  Id: string;
  Name: string;
  Labels: Record<string, string> | null;
  Created: string;
}

export function networkCalls(
  transport: Transport,
): Pick<ContainerEngine, 'createNetwork' | 'removeNetwork' | 'listNetworks'> {
  return {
    async createNetwork(name, { labels, icc }, options) {
      const body = {
        Name: name,
        // Engines allow two networks of one name unless told otherwise.
        CheckDuplicate: true,
        Driver: 'bridge',
        Labels: ourLabels(labels),
        Options: { 'com.docker.network.bridge.enable_icc': String(icc) },
      };
      const call = { operation: `create network ${name}`, method: 'POST', path: '/networks/create', body } as const;
      return (await transport.json<{ Id: string }>(call, options, LIMIT.change)).Id;
    },
    async removeNetwork(name, options) {
      const operation = `remove network ${name}`;
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(name)) {
        throw new EngineError('not_found', { operation, detail: `"${name}" is not the name of a network` });
      }
      await transport.json({ operation, method: 'DELETE', path: `/networks/${name}` }, options, LIMIT.change);
    },
    async listNetworks(labels, options) {
      const query = { filters: JSON.stringify({ label: OURS }) };
      const call = { operation: 'list networks', method: 'GET', path: '/networks', query } as const;
      const networks = await transport.json<WireNetwork[]>(call, options);
      return networks.map(readNetwork).filter((network) => isLabelled(network.labels, labels));
    },
  };
}

function readNetwork(network: WireNetwork): NetworkInfo {
  return {
    id: network.Id,
    name: network.Name,
    labels: network.Labels ?? {},
    createdAt: new Date(network.Created),
  };
}

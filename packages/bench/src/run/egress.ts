import { LABEL } from '@ssebench/contracts/labels';
import type { EgressPolicy } from '@ssebench/contracts/run-settings';
import type { ContainerSpec } from '@ssebench/engine/container';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';

/** One network for all runs with open egress; they can't reach each other on it. */
const NETWORK = 'ssebench-egress';

/** `restricted`: no network at all. `open`: a bridge to the outside, with container-to-container traffic off (design §7). */
export async function egressNetwork(
  engine: ContainerEngine,
  policy: EgressPolicy,
  signal: AbortSignal,
): Promise<ContainerSpec['network']> {
  if (policy === 'restricted') return 'none';
  const labels = { [LABEL.role]: 'egress' };
  const known = await engine.listNetworks(labels, { signal });
  if (!known.some(({ name }) => name === NETWORK)) {
    await engine.createNetwork(NETWORK, { labels, icc: false }, { signal }).catch((error: unknown) => {
      if (!isEngineError(error, 'conflict')) throw error;
    });
  }
  return { bridge: NETWORK };
}

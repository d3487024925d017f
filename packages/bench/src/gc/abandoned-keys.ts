import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { adminOf, type GatewayPlace, statusOf } from '../gateway/gateway-process.ts';
import type { Leftover } from './leftovers.ts';

/**
 * Keys of the gateway that are good although their run is over: its short directory, which holds the socket of its clients,
 * is gone. None where no gateway runs.
 */
export async function abandonedKeys(place: GatewayPlace): Promise<Leftover[]> {
  const admin = adminOf(place);
  const { runs = [] } = (await statusOf(admin)) ?? {};
  return runs
    .filter(({ socket }) => socket !== null && !existsSync(dirname(socket)))
    .map(({ run_id: name }) => ({ kind: 'key', name, remove: async () => void (await admin.closeRun(name)) }));
}

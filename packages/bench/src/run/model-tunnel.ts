import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTAINER } from '@ssebench/contracts/layout';
import { Tunnel } from '@ssebench/contracts/tunnel/tunnel';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';

/** Before a tunnel that broke is made again. Milliseconds. */
const RETRY_INTERVAL = 200;

/**
 * Carries a container's way to its model where no socket of this host can be mounted: what comes to a socket in the
 * container goes to the gateway's, over a program that the engine runs there. Until `signal` fires or the container ends;
 * a tunnel that breaks is made again. Never throws.
 */
export async function carryModel(
  engine: ContainerEngine,
  containerId: string,
  gatewaySocket: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await carryOnce(engine, containerId, gatewaySocket, signal);
    } catch (error) {
      if (!isEngineError(error) && !(error instanceof RangeError)) throw error;
      if (isEngineError(error, 'not_found', 'conflict')) return;
    }
    await delay(RETRY_INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}

async function carryOnce(
  engine: ContainerEngine,
  containerId: string,
  gatewaySocket: string,
  signal: AbortSignal,
): Promise<void> {
  const argv = [CONTAINER.node, CONTAINER.runtimeBundle, 'tunnel', CONTAINER.modelSocket] as const;
  const { stdin, stdout, close } = await engine.execStreams(containerId, { argv, user: '0:0', workdir: '/', signal });
  const tunnel = new Tunnel({
    send: (bytes) => void stdin.write(bytes),
    onOpen(connection) {
      const gateway = connect({ path: gatewaySocket, allowHalfOpen: true });
      // What breaks one side breaks the other; the agent sees it, and there is nothing more to say.
      pipeline(connection, gateway, connection, () => undefined);
    },
  });
  try {
    for await (const bytes of stdout) tunnel.receive(bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  } finally {
    tunnel.close();
    close();
  }
}

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { ENV, GATEWAY_PATH } from '@ssebench/contracts/layout';
import { LoopbackRelay } from '../relay/loopback-relay.ts';
import { log } from './log.ts';
import type { Settings } from './settings.ts';

/** The gateway cuts what is on its way and settles it; the host has the key revoked, too. Milliseconds. */
const REVOKE_MS = 10_000;

/** The agent's way to its model while its phase lasts; null in a run without one. @throws the error of `listen` */
export async function openModel({ modelSocket, modelPort }: Settings): Promise<LoopbackRelay | null> {
  if (modelSocket === undefined) return null;
  const relay = await LoopbackRelay.open({ port: modelPort, socketPath: modelSocket });
  log('INFO', 'Model relay', { port: relay.port });
  return relay;
}

/** Ends it when the agent's processes have ended: nothing gets through any more, and the key is worth nothing. Never throws. */
export async function closeModel(relay: LoopbackRelay, { modelSocket, agentEnv }: Settings): Promise<void> {
  await relay.close();
  const key = agentEnv[ENV.apiKey];
  if (!modelSocket || !key) return;
  const call = request({
    socketPath: modelSocket,
    method: 'POST',
    path: GATEWAY_PATH.revoke,
    headers: { authorization: `Bearer ${key}` },
    agent: false,
    signal: AbortSignal.timeout(REVOKE_MS),
  });
  try {
    call.end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    answer.resume();
    if (answer.statusCode !== 200) log('WARN', 'The key was not revoked', { status: answer.statusCode ?? null });
  } catch (error) {
    log('WARN', 'The key was not revoked', { error: String(error) });
  }
}

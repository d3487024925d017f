import type { ScriptResult } from '@ssebench/contracts/daemon-api';
import { DaemonError, phaseEnded } from '../daemon-error.ts';
import { admitTool, isBencherAction } from '../gate.ts';
import { json } from '../http/answer.ts';
import { log } from '../log.ts';
import type { Services } from '../services.ts';
import type { Handler } from './handler.ts';

/** Most characters of an argument that are logged. */
const MAX_LOGGED = 1000;

/** `POST /tool/{name}?action=…` */
export const callTool: Handler = async (call, services, listener) => {
  const facesAgent = listener === 'agent';
  if (facesAgent && services.phase.ended) throw phaseEnded();
  const tool = call.params['name'] ?? '';
  const action = call.query('action');
  if (action === undefined) throw new DaemonError('invalid_request', 'query parameter action is missing');
  const body = await call.body();
  if (facesAgent) admitTool({ tool, action, body }, services.phase.ended, services.difficulty);
  if (!facesAgent || services.logBudget.take(MAX_LOGGED)) {
    log('info', 'Tool call', { name: tool, action, arg: JSON.stringify(body).slice(0, MAX_LOGGED) });
  }
  const ends = [services.stop, call.signal, ...(facesAgent ? [services.phase.signal] : [])];
  return json(await dispatch(tool, action, body, services, AbortSignal.any(ends)));
};

async function dispatch(
  tool: string,
  action: string,
  body: unknown,
  { bash, bencher }: Services,
  signal: AbortSignal,
): Promise<ScriptResult> {
  if (tool === 'bash') return await bash.run(body, signal);
  if (tool !== 'bencher') throw new DaemonError('unknown_tool', `tool not found: ${tool}`);
  if (!isBencherAction(action)) throw new DaemonError('unknown_action', `invalid action: ${action}`);
  return await bencher.run(action, body, signal);
}

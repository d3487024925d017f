import type { IncomingMessage } from 'node:http';
import { NewForward } from '@ssebench/contracts/gateway-api';
import { z } from 'zod';
import { type Answer, problem, readAdminBody } from './admin-body.ts';
import { ForwardExists, type Forwards } from './forwards.ts';
import { parseUsd } from './money.ts';

const keptSpend = z.strictObject({
  /** Dollars, as a decimal number. */
  spent_usd: z.string().refine((text) => parseUsd(text) !== undefined, 'a decimal number of dollars'),
});

/**
 * The admin socket's routes for runs that another gateway serves; undefined for other routes.
 * @param runsChanged called when there is one run more or less
 */
export async function answerForwards(
  forwards: Forwards,
  request: IncomingMessage,
  route: string,
  runsChanged: () => void,
): Promise<Answer | undefined> {
  if (route === 'POST /forwards') return open(forwards, request, runsChanged);
  const [, method, name, spend] = /^(GET|DELETE|PUT) \/forwards\/([^/]+)(\/spend)?$/.exec(route) ?? [];
  if (method === undefined || name === undefined || (method === 'PUT') !== (spend !== undefined)) return undefined;
  const runId = decodeURIComponent(name);
  if (method === 'DELETE') {
    await forwards.close(runId);
    runsChanged();
  }
  const forward = forwards.get(runId);
  if (forward === undefined) return problem(404, 'unknown_run', `no forward ${runId}`);
  if (method === 'PUT') {
    const parsed = await readAdminBody(request, keptSpend);
    if ('problem' in parsed) return parsed.problem;
    forward.keepSpend(parsed.value.spent_usd);
  }
  return [200, forward.told()];
}

async function open(forwards: Forwards, request: IncomingMessage, runsChanged: () => void): Promise<Answer> {
  const parsed = await readAdminBody(request, NewForward);
  if ('problem' in parsed) return parsed.problem;
  try {
    await forwards.open(parsed.value);
  } catch (error) {
    return problem(409, error instanceof ForwardExists ? 'run_exists' : 'socket', (error as Error).message);
  }
  runsChanged();
  return [201, forwards.get(parsed.value.run_id)?.told()];
}

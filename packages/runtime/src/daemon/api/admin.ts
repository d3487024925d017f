import type { GradingPreparation } from '@ssebench/contracts/daemon-api';
import { RunEvent } from '@ssebench/contracts/events';
import { z } from 'zod';
import { DaemonError } from '../daemon-error.ts';
import { json } from '../http/answer.ts';
import type { Handler } from './handler.ts';

const SUCCESS = { success: true } as const;

export const agentExited: Handler = async (_call, { phase }) => {
  await phase.end();
  return json(SUCCESS);
};

/** The agent's tree is captured only when nobody can change it any more. */
export const capture: Handler = async (_call, { phase, patches }) => {
  await phase.end();
  return json(await patches.capture());
};

export const prepareGrading: Handler = async (_call, { phase, patches, bencher, strictTree }) => {
  await phase.end();
  await bencher.reset();
  await patches.prepare();
  return json({ ...SUCCESS, ...strictTree.touched } satisfies GradingPreparation);
};

export const publishEvent: Handler = async (call, { events }) => {
  const parsed = RunEvent.safeParse(await call.body());
  if (!parsed.success) throw new DaemonError('invalid_request', `not an event: ${z.prettifyError(parsed.error)}`);
  events.publish(parsed.data);
  return json(SUCCESS);
};

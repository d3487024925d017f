import type { GradingPreparation } from '@ssebench/contracts/daemon-api';
import { RunEvent } from '@ssebench/contracts/events';
import { z } from 'zod';
import { DaemonError } from '../daemon-error.ts';
import { bodyOf } from './body.ts';
import type { Handler } from './handler.ts';

const SUCCESS = { success: true } as const;

export const agentExited: Handler = async (context, { phase }) => {
  await phase.end();
  return context.json(SUCCESS);
};

/** The agent's tree is captured only when nobody can change it any more. */
export const capture: Handler = async (context, { phase, patches }) => {
  await phase.end();
  return context.json(await patches.capture());
};

export const prepareGrading: Handler = async (context, { phase, patches, bencher, strictTree }) => {
  await phase.end();
  await bencher.reset();
  await patches.prepare();
  return context.json({ ...SUCCESS, ...strictTree.touched } satisfies GradingPreparation);
};

export const publishEvent: Handler = async (context, { events }) => {
  const parsed = RunEvent.safeParse(await bodyOf(context));
  if (!parsed.success) throw new DaemonError('invalid_request', `not an event: ${z.prettifyError(parsed.error)}`);
  events.publish(parsed.data);
  return context.json(SUCCESS);
};

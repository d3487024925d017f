import type { Context } from 'hono';
import type { ListenerKind } from '../listener.ts';
import { readResult } from '../result-file.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';
import { diffAnswer } from './answers.ts';
import type { Handler } from './handler.ts';

export const version: Handler = (context) => context.json({ version: VERSION });

export const project: Handler = (context, { task }) => context.json(task.metadata);

export const capabilities: Handler = (context, { task }) => context.json(task.capabilities);

export const diff: Handler = async (context, services, listener) => {
  const { patch, remove } = await services.patches.live(liveSignal(context, services, listener));
  return await diffAnswer(context, patch, remove);
};

export const files: Handler = async (context, services, listener) =>
  context.json({ files: await services.patches.changedFiles(liveSignal(context, services, listener)) });

/** What the agent asked to see must not hold up its capture: it is given up with the agent's phase, and with its caller. */
function liveSignal(context: Context, { phase, stop }: Services, listener: ListenerKind): AbortSignal {
  const ends = [stop, context.req.raw.signal];
  return AbortSignal.any(listener === 'agent' && !phase.ended ? [...ends, phase.signal] : ends);
}

export const dialog: Handler = async (context, services) => {
  const since = Number(context.req.query('since') ?? Number.NaN);
  return context.json({ entries: await services.dialog.entries(Number.isInteger(since) ? since : undefined) });
};

export const result: Handler = async (context, { results }) => context.json(await readResult(results));

export const finalDiff: Handler = async (context, { patches }) => await diffAnswer(context, await patches.final());

export const referencePatch: Handler = async (context, { patches }) => {
  return await diffAnswer(context, await patches.reference());
};

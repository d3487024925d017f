import { json } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import type { ListenerKind } from '../listener.ts';
import { readResult } from '../result-file.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';
import { diffAnswer } from './answers.ts';
import type { Handler } from './handler.ts';

export const version: Handler = () => json({ version: VERSION });

export const project: Handler = (_call, { task }) => json(task.metadata);

export const capabilities: Handler = (_call, { task }) => json(task.capabilities);

export const diff: Handler = async (call, services, listener) => {
  const { patch, remove } = await services.patches.live(liveSignal(call, services, listener));
  return await diffAnswer(call, patch, remove);
};

export const files: Handler = async (call, services, listener) =>
  json({ files: await services.patches.changedFiles(liveSignal(call, services, listener)) });

/** What the agent asked to see must not hold up its capture: it is given up with the agent's phase, and with its caller. */
function liveSignal(call: Call, { phase, stop }: Services, listener: ListenerKind): AbortSignal {
  const ends = [stop, call.signal];
  return AbortSignal.any(listener === 'agent' && !phase.ended ? [...ends, phase.signal] : ends);
}

export const dialog: Handler = async (call, services) => {
  const since = Number(call.query('since') ?? Number.NaN);
  return json({ entries: await services.dialog.entries(Number.isInteger(since) ? since : undefined) });
};

export const result: Handler = async (_call, { results }) => json(await readResult(results));

export const finalDiff: Handler = async (call, { patches }) => await diffAnswer(call, await patches.final());

export const referencePatch: Handler = async (call, { patches }) => {
  return await diffAnswer(call, await patches.reference());
};

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
  const { patch, remove } = await look(call, services, listener, (signal) => services.patches.live(signal));
  return await diffAnswer(call, patch, remove);
};

export const files: Handler = async (call, services, listener) =>
  json({ files: await look(call, services, listener, (signal) => services.patches.changedFiles(signal)) });

/**
 * Git looks as the agent's user, and so it is ended with the agent's phase: who asked from elsewhere gets what it finds
 * when it looks again.
 */
async function look<T>(
  call: Call,
  services: Services,
  listener: ListenerKind,
  at: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { phase } = services;
  const signal = liveSignal(call, services, listener);
  const hadEnded = phase.ended;
  try {
    return await at(signal);
  } catch (error) {
    if (signal.aborted || hadEnded || !phase.ended) throw error;
    await phase.end();
    return await at(signal);
  }
}

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

import { readResult } from '../result-file.ts';
import { VERSION } from '../version.ts';
import { diffAnswer } from './answers.ts';
import type { Handler } from './handler.ts';

export const version: Handler = (context) => context.json({ version: VERSION });

export const project: Handler = (context, { task }) => context.json(task.metadata);

export const capabilities: Handler = (context, { task }) => context.json(task.capabilities);

export const diff: Handler = async (context, { patches }) => {
  const { patch, remove } = await patches.live();
  return await diffAnswer(context, patch, remove);
};

export const files: Handler = async (context, { patches }) => context.json({ files: await patches.changedFiles() });

export const dialog: Handler = async (context, services) => {
  const since = Number(context.req.query('since') ?? Number.NaN);
  return context.json({ entries: await services.dialog.entries(Number.isInteger(since) ? since : undefined) });
};

export const result: Handler = async (context, { results }) => context.json(await readResult(results));

export const finalDiff: Handler = async (context, { patches }) => await diffAnswer(context, await patches.final());

export const referencePatch: Handler = async (context, { patches }) => {
  return await diffAnswer(context, await patches.reference());
};

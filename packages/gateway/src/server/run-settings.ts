import { MODEL_SWITCHES } from '@ssebench/contracts/model-switches';
import { z } from 'zod';
import type { Allowance } from '../protocols/allow.ts';

/** What the server keeps with a run's key. */
export const runSettings = z.strictObject({
  /** Path of the Unix socket on which the run's clients come. */
  socket: z.string().min(1).max(107).optional(),
  allow: z.array(z.enum(MODEL_SWITCHES)).default([]),
  allow_fields: z.array(z.string().min(1).max(200)).default([]),
});
export type RunSettings = z.infer<typeof runSettings>;

const allowances = new Map<string, Allowance>();
const MAX_KNOWN = 1000;

/** The allowance that a key's settings hold. Each text is read once. @throws ZodError, SyntaxError for what is none */
export function allowanceOf(settings: string): Allowance {
  const known = allowances.get(settings);
  if (known !== undefined) return known;
  const { allow, allow_fields } = runSettings.parse(JSON.parse(settings));
  const allowance = { switches: new Set(allow), fields: new Set(allow_fields) };
  if (allowances.size >= MAX_KNOWN) allowances.clear();
  allowances.set(settings, allowance);
  return allowance;
}

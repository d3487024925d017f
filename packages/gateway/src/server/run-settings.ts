import { MODEL_SWITCHES } from '@ssebench/contracts/model-switches';
import { z } from 'zod';
import type { Allowance } from '../protocols/allow.ts';

const absolute = z.string().max(4096).startsWith('/');

/** What the server keeps with a run's key. */
export const runSettings = z.strictObject({
  /** Path of the Unix socket on which the run's clients come. */
  socket: z.string().min(1).max(107).optional(),
  allow: z.array(z.enum(MODEL_SWITCHES)).default([]),
  allow_fields: z.array(z.string().min(1).max(200)).default([]),
  /** Absolute path of the file that the run's exchanges are recorded in. */
  record: absolute.optional(),
  /** Absolute path of a recording: the run is answered from it, and from nothing else. */
  replay: absolute.optional(),
});
type RunSettings = z.infer<typeof runSettings>;

/** A run's settings, and what they allow. */
export interface ReadSettings extends RunSettings {
  readonly allowance: Allowance;
}

const known = new Map<string, ReadSettings>();
const MAX_KNOWN = 1000;

/** The settings that a key has. Each text is read once. @throws ZodError, SyntaxError for what are none */
export function settingsOf(text: string): ReadSettings {
  const before = known.get(text);
  if (before !== undefined) return before;
  const settings = runSettings.parse(JSON.parse(text));
  const { allow, allow_fields } = settings;
  const read = { ...settings, allowance: { switches: new Set(allow), fields: new Set(allow_fields) } };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, read);
  return read;
}

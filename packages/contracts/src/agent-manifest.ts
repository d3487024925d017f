import { z } from 'zod';
import { ModelProtocol } from './model-protocol.ts';

/** `agents/<folder>/agent.yaml`. Source: spec/host §7.4. */
export const AgentManifest = z
  .strictObject({
    name: z
      .string()
      .trim()
      .regex(/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/, 'must be lower-case letters and digits separated by ".", "_" or "-"'),
    version: z
      .string()
      .trim()
      .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/, 'must be usable as an image tag')
      .optional(),
    /** Ours: it calls no model, and gets no key for one. */
    keyless: z.boolean().optional(),
    /** Ours: what its program can speak with its model, what it prefers first. Without it nobody looks whether a model fits. */
    protocols: z
      .array(ModelProtocol)
      .min(1, 'must not be empty')
      .refine((names) => new Set(names).size === names.length, 'must name each protocol once')
      .meta({ uniqueItems: true })
      .optional(),
  })
  .refine(({ keyless, protocols }) => !keyless || protocols === undefined, {
    path: ['protocols'],
    error: 'must be left out with keyless: true, of an agent that calls no model',
  })
  .meta({ title: 'SSEBench agent' });
export type AgentManifest = z.infer<typeof AgentManifest>;

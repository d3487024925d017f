import { z } from 'zod';

/** `dataset.yaml`. Source: spec/host §2.3. The version changes when tasks change in a way that can change results. */
export const DatasetInfo = z
  .strictObject({
    version: z
      .string()
      .trim()
      .regex(/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/, 'must be lower-case letters and digits separated by ".", "_" or "-"'),
  })
  .meta({ title: 'SSEBench dataset info' });
export type DatasetInfo = z.infer<typeof DatasetInfo>;

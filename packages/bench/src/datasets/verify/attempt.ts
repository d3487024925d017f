import { CheckRecord } from '@ssebench/contracts/checks';
import { StrictStatus } from '@ssebench/contracts/integrity';
import { PatchResult } from '@ssebench/contracts/result';
import { z } from 'zod';

/** One run of a control, as `runs.jsonl` of the output folder keeps it. Paths are relative to that folder. */
export const Attempt = z.object({
  dataset: z.string(),
  task: z.string(),
  /** Name of the control. */
  control: z.string(),
  /** From 1; odd rounds run one task at a time, even ones `jobs` at a time. */
  round: z.int().positive(),
  /** Other runs went on beside it. */
  together: z.boolean(),
  /** What it proved anything about: the task's files and the harness. */
  files_sha256: z.string(),
  version: z.string(),
  started_at: z.iso.datetime(),
  seconds: z.number().nonnegative(),
  exit_code: z.int().nullable(),
  run: z.string(),
  /** Null when the run left no summary. */
  result: PatchResult.nullable(),
  strict: StrictStatus.nullable(),
  checks: z.array(CheckRecord),
  /** ID of the case image that was graded. */
  image: z.string().nullable(),
  /** What was tried before it under the same control no longer counts. */
  anew: z.boolean().optional(),
  /** ID of the image that an agent's is built on; null where no agent ran. */
  work: z.string().nullable(),
});
export type Attempt = z.infer<typeof Attempt>;

/** The attempts that count: of each control, those since it was last tried anew. */
export function thatCount(attempts: readonly Attempt[]): Attempt[] {
  const from = new Map<string, number>();
  attempts.forEach(({ control, anew }, index) => {
    if (anew) from.set(control, index);
  });
  return attempts.filter(({ control }, index) => index >= (from.get(control) ?? 0));
}

/** Whether it came to a grade: only then it says something of the task. */
export function isGraded({ result }: Attempt): boolean {
  return result !== null && result.status !== 'error';
}

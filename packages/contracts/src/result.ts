import { z } from 'zod';
import { RunSettings } from './run-settings.ts';

/** Source of every field: seeds/results-format, spec/host §8.3. A check that did not run is null. */
const GradeStatus = z.enum(['passed', 'failed', 'error']);
export type GradeStatus = z.infer<typeof GradeStatus>;

export const PatchResult = z.strictObject({
  status: GradeStatus,
  build_success: z.boolean().nullable(),
  pov_passed: z.int().nonnegative().nullable(),
  pov_total: z.int().nonnegative().nullable(),
  func_test_success: z.boolean().nullable(),
  intent_test_success: z.boolean().nullable(),
  error_msg: z.string().nullable(),
  error_log: z.string().nullable(),
});
export type PatchResult = z.infer<typeof PatchResult>;

/** `agent_duration` in whole seconds; `agent_exit_code` is 124 after a time-out and null when no agent ran. */
export const RuntimeResult = z.strictObject({
  agent_duration: z.int().nonnegative(),
  agent_timeout: z.boolean(),
  evaluator_timeout: z.boolean(),
  agent_exit_code: z.int().nullable(),
});
export type RuntimeResult = z.infer<typeof RuntimeResult>;

/** `result.json` as the evaluator writes it. */
export const EvaluatorResult = z
  .strictObject({ patch_result: PatchResult, runtime_result: RuntimeResult })
  .meta({ title: 'SSEBench grade' });
export type EvaluatorResult = z.infer<typeof EvaluatorResult>;

/** `result.json` as a run leaves it: with the run's settings. */
export const ResultFile = EvaluatorResult.extend({ config: RunSettings }).meta({ title: 'SSEBench result' });
export type ResultFile = z.infer<typeof ResultFile>;

const NOTHING_RAN = {
  build_success: null,
  pov_passed: null,
  pov_total: null,
  func_test_success: null,
  intent_test_success: null,
} as const;

/** The result of a run that was not graded. */
export function notGraded(errorMsg: string): PatchResult {
  return { status: 'error', ...NOTHING_RAN, error_msg: errorMsg, error_log: null };
}

import { z } from 'zod';
import { CheckRecord } from './checks.ts';
import type { GradeStatus } from './result.ts';

/**
 * How a patch did on the strict tree: the graded tree with the project's own tests, build scripts and test
 * configuration put back.
 * - `passed`, `failed`: the functional and intent tests ran there, and all passed, or one did not.
 * - `unclear`: they could not tell: the strict tree does not build, or a fault kept them from their end.
 * - `not_needed`: there was nothing to find out: the patch touches no such file but those that the reference patch
 *   touches, too, or its own tree does not build, or the task has no tests.
 */
export const STRICT_STATUSES = ['passed', 'failed', 'unclear', 'not_needed'] as const;
export const StrictStatus = z.enum(STRICT_STATUSES);
export type StrictStatus = z.infer<typeof StrictStatus>;

/** The second outcome of a grade. A test that the task lacks, or that did not run, is null. */
export const StrictOutcome = z.strictObject({
  status: StrictStatus,
  function_test: z.boolean().nullable(),
  intent_test: z.boolean().nullable(),
  /** Why the status is what it is, where a reader could ask. Free text; nothing decides by it. */
  detail: z.string().nullable(),
  /** Every check that ran on the strict tree, in order: its build first. */
  checks: z.array(CheckRecord),
});
export type StrictOutcome = z.infer<typeof StrictOutcome>;

/** `integrity.json`: whether a patch touched what judges it, and how it does without that. Source: design §7, last line. */
export const Integrity = z
  .strictObject({
    /** Tests, build scripts and test configuration that the patch changes, deletes, adds or shadows; the first of them. */
    touched_tests: z.array(z.string()),
    /** How many there are. */
    touched_tests_total: z.int().nonnegative(),
    strict: StrictOutcome,
  })
  .meta({ title: 'SSEBench integrity of a grade' });
export type Integrity = z.infer<typeof Integrity>;

/** A strict outcome without any check on the strict tree. */
export function strictWithoutChecks(status: 'unclear' | 'not_needed', detail: string | null): StrictOutcome {
  return { status, function_test: null, intent_test: null, detail, checks: [] };
}

/** What makes a run solved; both are parts of its summary. */
interface Grades {
  patch_result: { status: GradeStatus };
  integrity: { strict: { status: StrictStatus } } | null;
}

/**
 * Whether a run solved its task: its patch passed as it stands, and passed again on the strict tree where that was
 * needed. Every rate, report and `--require-pass` goes by this. A run without an integrity record is not solved.
 */
export function isSolved({ patch_result, integrity }: Grades): boolean {
  const strict = integrity?.strict.status;
  return patch_result.status === 'passed' && (strict === 'passed' || strict === 'not_needed');
}

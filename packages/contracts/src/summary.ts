import { z } from 'zod';
import { CheckRecord } from './checks.ts';
import { Fault } from './faults.ts';
import { Integrity } from './integrity.ts';
import { EffectiveLimits } from './limits.ts';
import { ModelUse } from './model-use.ts';
import { PatchResult, RuntimeResult } from './result.ts';
import { RunId } from './run-id.ts';
import { RunSettings } from './run-settings.ts';
import { SnapshotReport } from './snapshots.ts';
import { TaskConfig } from './task-config.ts';
import { ArchiveReport, CaptureReport } from './work-outcome.ts';

/** Image IDs that a run used; null where it had no such image (`work` and `agent` in a run that only grades). */
export const RunImages = z.strictObject({
  case: z.string().nullable(),
  work: z.string().nullable(),
  tool: z.string().nullable(),
  agent: z.string().nullable(),
  /** The agent's program; null where its Dockerfile has no stage for it. */
  program: z.string().nullable().default(null),
  /** Content hash of the runtime. */
  runtime: z.string().nullable(),
  /** Where the case image was pulled from; null when it was built from a task folder. */
  pulled: z
    .strictObject({
      dataset: z.string(),
      version: z.string(),
      /** With the registry, without tag. */
      image: z.string(),
      /** Null where the registry names none. */
      digest: z.string().nullable(),
    })
    .nullable()
    .default(null),
});
export type RunImages = z.infer<typeof RunImages>;

/** The container engine, as it described itself. */
export const EngineDescription = z.strictObject({
  name: z.string(),
  version: z.string(),
  api_version: z.string(),
  arch: z.string(),
});
export type EngineDescription = z.infer<typeof EngineDescription>;

/** Recorded tests that did not run and pass in a check that passed: the first of them, and how many. */
const MissingTests = z.strictObject({
  recorded: z.int().nonnegative(),
  missing: z.array(z.string()),
  missing_total: z.int().nonnegative(),
});

/** By check; null for one that did not pass, whose tests are not recorded, or whose output is not whole. */
export const TestsReport = z.strictObject({
  function_test: MissingTests.nullable(),
  intent_test: MissingTests.nullable(),
});
export type TestsReport = z.infer<typeof TestsReport>;

/** Phases of a run with their durations in milliseconds, in the order they started; some overlap. */
export const PhaseDuration = z.strictObject({ phase: z.string(), duration_ms: z.int().nonnegative() });
export type PhaseDuration = z.infer<typeof PhaseDuration>;

/**
 * `summary.json`. The first eight keys are those of seeds/results-format; the rest is ours, beside them.
 * `outcome` tells apart what `patch_result.status` can't: `graded`, or the fault's code with its blame.
 */
export const Summary = z
  .strictObject({
    task: TaskConfig,
    config: RunSettings,
    patch_result: PatchResult,
    runtime_result: RuntimeResult,
    /** US dollars. */
    spend: z.number().nonnegative(),
    run_id: RunId,
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime(),
    outcome: z.strictObject({
      code: z.string(),
      fault: Fault.nullable(),
      /** What grading said of a run that does not count because of its model; else null. */
      grade: PatchResult.nullable().default(null),
    }),
    /** What the run used of its model; null in a run without one. */
    model: ModelUse.nullable().default(null),
    checks: z.array(CheckRecord),
    /** Null when the patch never came to be graded. See `isSolved`. */
    integrity: Integrity.nullable(),
    /** Whether as many tests ran as under the reference patch; null for a task whose tests are not recorded. */
    tests: TestsReport.nullable().default(null),
    capture: CaptureReport.nullable(),
    archive: ArchiveReport.nullable(),
    /** What was kept of the patch while the agent worked; null where none were to be. */
    snapshots: SnapshotReport.nullable().default(null),
    phases: z.array(PhaseDuration),
    images: RunImages,
    limits: EffectiveLimits,
    engine: EngineDescription.nullable(),
    versions: z.strictObject({ ssebench: z.string(), node: z.string(), dataset: z.string().nullable() }),
    task_files_sha256: z.string().nullable(),
  })
  .meta({ title: 'SSEBench run summary' });
export type Summary = z.infer<typeof Summary>;

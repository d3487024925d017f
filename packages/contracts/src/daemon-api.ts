import { z } from 'zod';
import { EvaluatorResult, PatchResult, RuntimeResult } from './result.ts';
import { CaptureReport } from './work-outcome.ts';

/**
 * The daemon's HTTP API. Source: spec/runtime §2. What is ours beside it: `code` in error bodies, `encoding` and
 * `bytes` in diffs, build ids, the outcome of a script, `POST /admin/capture`, `POST /admin/events` and `GET /events`.
 */

/** Codes of error answers. Clients decide by these, never by the text. */
export const API_ERROR_CODES = [
  'invalid_request',
  'action_withheld',
  'phase_ended',
  'admin_only',
  'grading_is_admin_only',
  'unknown_tool',
  'unknown_action',
  'not_configured',
  'unknown_poc',
  'unknown_build',
  'hidden_tests_do_not_apply',
  'patch_apply_failed',
  'script_not_executable',
  'capture_failed',
  'baseline_missing',
  'patch_too_large',
  'processes_survived',
  'runner_unavailable',
  'stopping',
  'not_found',
  'internal',
] as const;
export type ApiErrorCode = (typeof API_ERROR_CODES)[number];

export const ApiError = z.object({ error: z.string(), code: z.enum(API_ERROR_CODES) });
export type ApiError = z.infer<typeof ApiError>;

export const Version = z.object({ version: z.string() });
export type Version = z.infer<typeof Version>;

export const TaskDescription = z.object({
  issue: z.string().nullable(),
  /** Contents of the report files, in config order. */
  crash_report: z.array(z.string()).nullable(),
  bug_description: z.string().nullable(),
});

/** The task's public view. `poc`: absolute paths that only root can read. Scripts as contents. */
export const Metadata = z.object({
  id: z.string(),
  project: z.string(),
  language: z.string(),
  source: z.string(),
  task_description: TaskDescription,
  poc: z.array(z.string()),
  build_script: z.string().nullable(),
  test_script: z.string().nullable(),
});
export type Metadata = z.infer<typeof Metadata>;

export const Capabilities = z.object({
  can_build: z.boolean(),
  can_run_poc: z.boolean(),
  poc_count: z.int().nonnegative(),
  has_function_test: z.boolean(),
  has_intent_test: z.boolean(),
});
export type Capabilities = z.infer<typeof Capabilities>;

/** `strict`, ours: a graded check on the strict tree; from the first one on, graded checks without it are refused. */
export const GradingArgument = z.object({
  grading: z.boolean().default(false),
  strict: z.boolean().default(false).describe('Admin socket only: a graded check on the strict tree.'),
});
/** `build`: id of the build to run in; without it, the latest one. */
export const PocArgument = z.object({
  poc: z.string(),
  grading: z.boolean().default(false),
  build: z.string().optional(),
});
export const BashArgument = z.object({
  command: z.string(),
  /** Seconds; the default is 120. */
  timeout: z.number().positive().max(3600).optional(),
  /** Forget the working directory and the exported variables first. */
  restart: z.boolean().optional(),
});

/** How a script ended. `code` is -1 for a signalled script and for a PoC without a build. */
export const ScriptResult = z.object({
  code: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  /** Ours: `timed_out` at its own limit. */
  outcome: z.enum(['exited', 'signalled', 'timed_out', 'not_run']).default('exited'),
  /** Ours: whether head and tail of an output were kept and its middle dropped. */
  truncated: z.boolean().default(false),
  /** Ours: bytes that the script wrote. */
  stdout_bytes: z.int().nonnegative().default(0),
  stderr_bytes: z.int().nonnegative().default(0),
  duration_ms: z.int().nonnegative().default(0),
  /** Ours: id of the build that was made; `run_poc` takes it. */
  build: z.string().nullable().default(null),
  /** Ours: log file in the results directory. */
  log: z.string().nullable().default(null),
});
export type ScriptResult = z.infer<typeof ScriptResult>;

/** `diff` is the text (`utf8`) or the bytes in base64 when they are not valid UTF-8. */
export const Diff = z.object({
  diff: z.string(),
  encoding: z.enum(['utf8', 'base64']).default('utf8'),
  bytes: z.int().nonnegative().default(0),
});
export type Diff = z.infer<typeof Diff>;

export const ChangedFile = z.object({
  path: z.string(),
  status: z.enum(['modified', 'added', 'deleted']),
  additions: z.int().nonnegative(),
  deletions: z.int().nonnegative(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;
export const Files = z.object({ files: z.array(ChangedFile) });

export const Dialog = z.object({ entries: z.array(z.record(z.string(), z.unknown())) });

export const EvaluationResult = z.object({
  available: z.boolean(),
  patch_result: PatchResult.optional(),
  runtime_result: RuntimeResult.optional(),
});
export type EvaluationResult = z.infer<typeof EvaluationResult>;

export const Success = z.object({ success: z.literal(true) });

/** Ours beside `success`: the tests, build scripts and test configuration that the patch touches. */
export const GradingPreparation = Success.extend({
  /** The first of them; names that are not UTF-8 have U+FFFD in them. */
  touched_tests: z.array(z.string()).default([]),
  touched_tests_total: z.int().nonnegative().default(0),
  /** How many of them the strict tree puts back: all but those that the reference patch touches, too. */
  put_back: z.int().nonnegative().default(0),
  /** Why they are not known, or can't be put back; null when they are and can. */
  unknown: z.string().nullable().default(null),
});
export type GradingPreparation = z.infer<typeof GradingPreparation>;

export { CaptureReport, EvaluatorResult };

/** Who may call a route: everybody on every listener, agents until their phase ends, or the admin socket alone. */
export type Access = 'every' | 'agent-phase' | 'admin' | 'admin-and-host';

export interface Route {
  method: 'GET' | 'POST';
  path: string;
  summary: string;
  access: Access;
  /** Body of a request, where it has one. */
  body?: z.ZodType;
  /** Body of the 200 answer; null for a stream of server-sent events. */
  answer: z.ZodType | null;
  /** Statuses other than 200 that the route can answer. */
  statuses: readonly number[];
}

/** Every route. The daemon serves exactly these, and the OpenAPI document is generated from them. */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/version',
    summary: 'Version of the daemon.',
    access: 'every',
    answer: Version,
    statuses: [],
  },
  {
    method: 'GET',
    path: '/project',
    summary: "The task's public view.",
    access: 'every',
    answer: Metadata,
    statuses: [],
  },
  {
    method: 'GET',
    path: '/capabilities',
    summary: 'The checks that the task has.',
    access: 'every',
    answer: Capabilities,
    statuses: [],
  },
  {
    method: 'POST',
    path: '/tool/{name}',
    summary: 'Runs an action of `bencher` or `bash`.',
    access: 'agent-phase',
    body: z.union([PocArgument, GradingArgument, BashArgument]),
    answer: ScriptResult,
    statuses: [400, 403, 500],
  },
  {
    method: 'GET',
    path: '/diff',
    summary: "The agent's changes now: as JSON up to 32 MiB, as `application/octet-stream` of any size.",
    access: 'every',
    answer: Diff,
    statuses: [500],
  },
  {
    method: 'GET',
    path: '/files',
    summary: 'The files that the agent changed.',
    access: 'every',
    answer: Files,
    statuses: [500],
  },
  {
    method: 'GET',
    path: '/agent/dialog',
    summary: "The agent's session, from `dialog.jsonl`.",
    access: 'every',
    answer: Dialog,
    statuses: [500],
  },
  {
    method: 'GET',
    path: '/result',
    summary: 'The grade, when there is one.',
    access: 'every',
    answer: EvaluationResult,
    statuses: [],
  },
  {
    method: 'GET',
    path: '/final_diff',
    summary: 'The graded patch; empty before grading.',
    access: 'every',
    answer: Diff,
    statuses: [500],
  },
  {
    method: 'GET',
    path: '/events',
    summary: 'What happened and happens, as server-sent events.',
    access: 'admin-and-host',
    answer: null,
    statuses: [403],
  },
  {
    method: 'POST',
    path: '/admin/capture',
    summary: "Captures the agent's tree as `final.patch`.",
    access: 'admin',
    answer: CaptureReport,
    statuses: [403, 500],
  },
  {
    method: 'POST',
    path: '/prepare_grading',
    summary:
      'New runner session; captures the patch unless it is given or captured; applies it to the clean copy; says which tests it touches.',
    access: 'admin',
    answer: GradingPreparation,
    statuses: [403, 500],
  },
  {
    method: 'POST',
    path: '/admin/agent_exited',
    summary: 'Ends the agent phase and its processes.',
    access: 'admin',
    answer: Success,
    statuses: [403, 500],
  },
  {
    method: 'POST',
    path: '/admin/events',
    summary: 'Publishes an event.',
    access: 'admin',
    answer: Success,
    statuses: [400, 403],
  },
  {
    method: 'GET',
    path: '/reference/patch',
    summary: 'The reference patch; empty when the task has none.',
    access: 'admin',
    answer: Diff,
    statuses: [403],
  },
];

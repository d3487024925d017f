import { z } from 'zod';
import type { CheckName } from './difficulty.ts';

/** Source of every rule in this file: spec/host §2.2. Strings are trimmed before they are checked. */
const TASK_ID_PATTERN = /^[A-Za-z0-9]+(?:(?:[._]|__|-+)[A-Za-z0-9]+)*$/;

const text = z.string().trim();
const optionalText = text.nullable().default(null);

/** A file of the task, relative to `/ssebench` in the case image. */
const taskPath = text
  .min(1, 'must not be empty')
  .refine((path) => !path.startsWith('/'), 'must be relative to /ssebench');
const optionalPath = taskPath.nullable().default(null);

export const TaskId = text.max(128).regex(TASK_ID_PATTERN, 'must be letters and digits separated by ".", "_" or "-"');

const LANGUAGES = ['c', 'go', 'rust'] as const;

/** What the agent is told. At least one key must hold something. */
const TaskDescriptionConfig = z
  .strictObject({
    issue: optionalText,
    crash_report: z.array(taskPath).nullable().default(null),
    bug_description: optionalText,
  })
  .refine((d) => Boolean(d.issue) || Boolean(d.bug_description) || (d.crash_report?.length ?? 0) > 0, {
    message: 'needs at least one of issue, crash_report and bug_description',
  });

const Scripts = z.strictObject({ build: optionalPath, run: optionalPath, test: optionalPath });

/** Never shown to the agent. */
const Files = z.strictObject({
  patch: optionalPath,
  future_test: optionalPath,
  security_test: optionalPath,
  intent_test: optionalPath,
  poc: z.array(taskPath).nullable().default(null),
});

/** `sse/config.yaml` of a task folder. Parsing fills in every key, unset ones with `null`. */
export const TaskConfig = z
  .strictObject({
    id: TaskId,
    project: text.min(1, 'must not be empty'),
    repository: text.regex(/^https:\/\/\S+$/, 'must be an https:// address'),
    language: z.enum(LANGUAGES),
    source: text.regex(/^\/\S*$/, 'must be an absolute path'),
    task_description: TaskDescriptionConfig,
    scripts: Scripts,
    files: Files,
    sanitizer: optionalText,
    type: optionalText,
    binary: optionalText,
    trigger_commit: optionalText,
    patch_commit: optionalText,
    reference: z.array(text).nullable().default(null),
    originality: z.enum(['public', 'crafted']).nullable().default(null),
  })
  .meta({ title: 'SSEBench task config' });
export type TaskConfig = z.infer<typeof TaskConfig>;

/** The checks that a task has, in grading order. Source: spec/host §2.2. */
export function checksOf(config: Pick<TaskConfig, 'scripts' | 'files'>): CheckName[] {
  const { scripts, files } = config;
  const checks: CheckName[] = [];
  if (scripts.build) checks.push('build');
  if (scripts.run && files.poc?.length) checks.push('poc');
  if (scripts.test) checks.push('function_test');
  if (scripts.test && files.future_test) checks.push('intent_test');
  return checks;
}

/** The config as a work container may hold it: without the upstream fix's commit and links, which the agent must not learn. */
export function withoutAnswers(config: TaskConfig): TaskConfig {
  return { ...config, patch_commit: null, reference: null };
}

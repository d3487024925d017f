import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MODEL_CALLS_FILE } from '@ssebench/contracts/model-calls';
import type { Summary } from '@ssebench/contracts/summary';
import { UserError } from '../cli/errors.ts';
import { findRunAt } from '../results/find-run.ts';
import { readFullSummary } from '../results/run-summary.ts';
import type { RunOptions } from './command-line.ts';

/** The run that is played once more. */
export interface Replayed {
  runId: string;
  /** Its recording, absolute. */
  recording: string;
  /** Of its task's folder; null: not known. */
  taskDigest: string | null;
}

/** `run`'s options, with an agent and a task. */
export type CompleteOptions = RunOptions & { agent: string; task: string };

/**
 * Fills in what `--replay` takes from the recorded run; what is given stays.
 * @throws UserError when there is no such run or no recording of it; with status 2 when no agent or task is named
 */
export function completeOptions(
  options: RunOptions,
  cwd: string,
): { options: CompleteOptions; replayed: Replayed | null } {
  const run = options.replay === undefined ? null : recordedRun(options.replay, cwd);
  const { agent, task, ...rest } = { ...(run && settingsOf(run.summary)), ...defined(options) };
  if (agent === undefined) throw notSpecified('--agent <name>');
  if (task === undefined) throw notSpecified('--task <id>');
  return { options: { ...rest, agent, task }, replayed: run && replayedOf(run.directory, run.summary) };
}

/** In the words in which other commands miss an option. */
function notSpecified(flags: string): UserError {
  return new UserError(`error: required option '${flags}' not specified`, 2);
}

function recordedRun(named: string, cwd: string): { directory: string; summary: Summary } {
  const found = findRunAt(resolve(cwd, 'results'), named, cwd);
  const directory = found.run.dir;
  if (!found.ended) throw new UserError(`--replay: ${directory}: the run has not ended`);
  const summary = readFullSummary(directory);
  if (!summary) throw new UserError(`--replay: ${directory}: was not written by this version`);
  if (!existsSync(join(directory, MODEL_CALLS_FILE)))
    throw new UserError(
      `--replay: ${directory} has no recording (${MODEL_CALLS_FILE}): no call was made, or --no-record`,
    );
  return { directory, summary };
}

function settingsOf({ task, config }: Summary): Partial<RunOptions> {
  return {
    agent: config.agent,
    task: task.id,
    model: config.model,
    timeout: String(config.timeout),
    difficulty: String(config.difficulty),
    egress: config.egress,
    grading: config.grading,
    checkTimeout: String(config.check_timeout),
    gradingTimeout: String(config.grading_timeout),
  };
}

function replayedOf(directory: string, { run_id, task_files_sha256 }: Summary): Replayed {
  return { runId: run_id, recording: join(directory, MODEL_CALLS_FILE), taskDigest: task_files_sha256 };
}

function defined(options: RunOptions): Partial<RunOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

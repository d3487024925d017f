import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeRunId } from '@ssebench/contracts/run-id';
import { NO_MODEL } from '@ssebench/contracts/run-settings';
import type { Task } from '../../config/tasks.ts';
import { readFullSummary } from '../../results/run-summary.ts';
import { PATCH_AGENT } from '../../run/check-arguments.ts';
import { runPath } from '../../run/run-directory.ts';
import type { Attempt } from './attempt.ts';
import type { Control } from './controls.ts';

/** One control of one task, to be tried once. */
export interface Job {
  task: Task;
  control: Control;
  round: number;
  together: boolean;
  /** What was tried before no longer counts. */
  anew: boolean;
  /** See `Attempt.files_sha256`. */
  digest: string;
}

/** How every run of a verification is made. */
export interface Conditions {
  /** The output folder, absolute. */
  output: string;
  home: string;
  /** The `ssebench` command: a program and its first arguments. */
  command: readonly string[];
  version: string;
  /** What the agent `dummy` is recorded with; it calls none. */
  model: string;
  difficulty: string;
  timeout: string;
}

/** The log of a control's runs, one after another, relative to the output folder. Source: spec/host §5.2. */
export function logPath(task: string, control: string): string {
  return join('logs', `${task}.${control}.log`);
}

/**
 * Tries a control with a command of its own, as a user would, so that nothing of one run is another's. What it prints goes
 * to the control's log.
 */
export async function runControl(job: Job, conditions: Conditions, attempt: number): Promise<Attempt> {
  const { task, control, round, together, anew, digest } = job;
  const { output, home, command, version } = conditions;
  const startedAt = new Date();
  const runId = makeRunId(startedAt, randomBytes(3));
  const cwd = join(output, 'runs');
  await mkdir(cwd, { recursive: true });
  await mkdir(join(output, 'logs'), { recursive: true });
  // The run has the file itself: it goes on telling when this command is killed.
  await using log = await open(join(output, logPath(task.id, control.name)), 'a');
  await log.appendFile(
    `== ${control.name} ${task.id}, round ${round}, attempt ${attempt}, ${startedAt.toISOString()}\n`,
  );
  const [program = process.execPath, ...first] = command;
  const child = spawn(program, [...first, ...argumentsOf(job, conditions), '--run-id', runId], {
    cwd,
    // What is proven is the task folder, whatever runs usually take.
    env: { ...process.env, SSEBENCH_HOME: home, SSEBENCH_PREBUILT: 'off' },
    stdio: ['ignore', log.fd, log.fd],
  });
  // Ctrl-C reaches it by itself, as part of the terminal's group; other signals have to be handed on.
  const handOn = () => child.kill('SIGTERM');
  process.once('SIGTERM', handOn);
  const began = performance.now();
  try {
    const [exitCode] = (await once(child, 'close')) as [number | null];
    const dir = runPath(join(cwd, 'results'), { task: task.id, runId, ...recordedAs(control, conditions) });
    const summary = readFullSummary(dir);
    return {
      dataset: task.dataset,
      task: task.id,
      control: control.name,
      round,
      together,
      files_sha256: digest,
      version,
      started_at: startedAt.toISOString(),
      seconds: Math.round((performance.now() - began) / 100) / 10,
      exit_code: exitCode,
      run: relative(output, dir),
      result: summary?.patch_result ?? null,
      strict: summary?.integrity?.strict.status ?? null,
      checks: summary?.checks ?? [],
      image: summary?.images.case ?? null,
      work: summary?.images.work ?? null,
      ...(anew && attempt === 1 && { anew }),
    };
  } finally {
    process.off('SIGTERM', handOn);
  }
}

function argumentsOf({ task, control }: Job, { model, difficulty, timeout }: Conditions): string[] {
  const common = ['--task', task.id, '--local', join(task.dir, '..')];
  if (control.patch !== null) return ['grade', ...common, '--patch', control.patch];
  const agent = ['run', '--agent', control.kind, ...common, '--difficulty', difficulty, '--timeout', timeout];
  return control.kind === 'dummy' ? [...agent, '--model', model] : agent;
}

function recordedAs({ kind, patch }: Control, { model }: Conditions): { agent: string; model: string } {
  if (patch !== null) return { agent: PATCH_AGENT, model: NO_MODEL };
  return { agent: kind, model: kind === 'dummy' ? model : NO_MODEL };
}

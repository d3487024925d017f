import { EVIDENCE } from '@ssebench/contracts/task-expect';
import { digestOfFiles } from '../../config/task-files.ts';
import type { Task } from '../../config/tasks.ts';
import type { TaskImages, TaskLeaks } from '../leaks/scan-task.ts';
import { type Attempt, isGraded, thatCount } from './attempt.ts';
import type { AttemptsFile } from './attempts-file.ts';
import { readLeaks, writeLeaks } from './leaks-file.ts';
import { reportOf, type Subject, type TaskReport } from './report.ts';
import { type Conditions, type Job, runControl } from './run-control.ts';
import { inParallel, inTurns } from './schedule.ts';
import { writeTaskReport } from './write-report.ts';

export interface VerifyOptions extends Conditions {
  /** Tasks that are tried at a time in even rounds, and in the only one. */
  jobs: number;
  repeat: number;
  /** More attempts for one that came to no grade. */
  retries: number;
  /** What the attempts' file has is done again, and no longer counts. */
  anew: boolean;
  signal: AbortSignal;
  /** Searches a task's images for its answers; see `scanTask`. */
  scan(task: Task, images: TaskImages): Promise<TaskLeaks>;
  /** Told why a task's images could not be searched; its report says that they were not. */
  onScanFailure(task: Task, error: Error): void;
  /** Told of each attempt before it begins. */
  onAttempt(job: Job): void;
  /** Told of each task after each of its rounds. */
  onRound(report: TaskReport, progress: { done: number; total: number; round: number }): void;
}

/**
 * Tries every control of every task, `repeat` times, and reports on each task when it has been through a round. What is in
 * the attempts' file for the same files and version is not done again, unless it is wanted anew.
 */
export async function verifyTasks(
  subjects: readonly Subject[],
  attempts: AttemptsFile,
  options: VerifyOptions,
): Promise<void> {
  const order = inTurns(subjects);
  const total = order.length * options.repeat;
  let done = 0;
  for (let round = 1; round <= options.repeat; round++) {
    const together = options.jobs > 1 && (options.repeat === 1 || round % 2 === 0);
    await inParallel(order, together ? options.jobs : 1, options.signal, async (subject) => {
      const digest = provenDigest(subject.task);
      for (const control of subject.controls) {
        const anew = options.anew && round === 1;
        await tryControl({ task: subject.task, control, round, together, anew, digest }, attempts, options);
        if (options.signal.aborted) return;
      }
      await scanImages(subject, attempts, options);
      if (options.signal.aborted) return;
      const report = reportOn(subject, attempts, options);
      await writeTaskReport(options.output, report);
      done += 1;
      options.onRound(report, { done, total, round });
    });
    if (options.signal.aborted) return;
  }
}

/** What is known of a task so far, by its files and the version as they are. */
export function reportOn(
  subject: Subject,
  attempts: AttemptsFile,
  { output, version }: Pick<Conditions, 'output' | 'version'>,
): TaskReport {
  const digest = provenDigest(subject.task);
  const own = attemptsAt(attempts, subject.task, digest, version);
  const leaks = readLeaks(output, subject.task.id, { images: imagesOf(own), version });
  return reportOf(subject, own, { output, digest, leaks });
}

/** Once for the images as they are. */
async function scanImages({ task }: Subject, attempts: AttemptsFile, options: VerifyOptions): Promise<void> {
  const digest = provenDigest(task);
  const images = imagesOf(attemptsAt(attempts, task, digest, options.version));
  const { output, version } = options;
  if (!images || readLeaks(output, task.id, { images, version })) return;
  try {
    await writeLeaks(output, task.id, await options.scan(task, images), version);
  } catch (error) {
    // The other tasks can be verified all the same; this one is not proven.
    if (!options.signal.aborted) options.onScanFailure(task, error as Error);
  }
}

/** Those of the newest run that had both. */
function imagesOf(attempts: readonly Attempt[]): TaskImages | undefined {
  const last = attempts.findLast((attempt) => attempt.image !== null && attempt.work !== null);
  return last && { case: last.image ?? '', work: last.work ?? '' };
}

/** A digest of all that an attempt proves something about: the folder without the list of tests, which is made of attempts. */
function provenDigest({ files }: Task): string {
  const { [EVIDENCE.tests]: _made, ...proven } = files;
  return digestOfFiles(proven);
}

async function tryControl(job: Job, attempts: AttemptsFile, options: VerifyOptions): Promise<void> {
  const { task, control, round, anew, digest } = job;
  const before = attemptsAt(attempts, task, digest, options.version).filter(
    (attempt) => attempt.control === control.name && attempt.round === round,
  );
  if (before.some(isGraded) && !anew) return;
  for (let attempt = 1; attempt <= 1 + options.retries; attempt++) {
    options.onAttempt(job);
    const made = await runControl(job, options, attempt);
    if (options.signal.aborted) return;
    await attempts.add(made);
    if (isGraded(made)) return;
  }
}

/** Those that count for a task as it is. */
function attemptsAt({ all }: AttemptsFile, task: Task, digest: string, version: string): Attempt[] {
  return thatCount(
    all.filter(
      (attempt) =>
        attempt.dataset === task.dataset &&
        attempt.task === task.id &&
        attempt.files_sha256 === digest &&
        attempt.version === version,
    ),
  );
}

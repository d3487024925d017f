import type { Fault } from '@ssebench/contracts/faults';
import type { ContainerLease } from './container-lease.ts';
import { gradePatch, weighGrade } from './grade-phase.ts';
import { readGradeOutcome, readWorkOutcome } from './outcome-files.ts';
import type { RunScene } from './run-scene.ts';

/** How long the archive may still take once grading has begun, in milliseconds: its own limit in the container and some. */
const ARCHIVE_LIMIT = 180_000;

/**
 * Grades what an agent left, unless there is nothing to grade: in a container of its own by `grade`, or as its own container
 * did already. The work container, where there still is one, ends meanwhile.
 * @param grade default: the captured patch, from the start
 */
export async function gradeWork(
  scene: RunScene,
  work: ContainerLease | undefined,
  grade: (onStarted: () => void) => Promise<void> = (onStarted) =>
    gradePatch(scene, scene.record.work?.capture ?? null, onStarted),
): Promise<void> {
  const { record, directory, place, facts, progress } = scene;
  if (facts.settings.grading === 'same') {
    await place.bringAll('work');
    if (record.fault && isAgentsEnd(record.fault)) return;
    record.grade = await readGradeOutcome(directory.work);
    return weighGrade(record, work, 'work');
  }
  if (!record.work || record.fault) return;
  progress.phase('grading');
  // The engine makes one container run sooner when it does not end another one at the same moment.
  const started = Promise.withResolvers<void>();
  const archived = work && finishWork(scene, work, started.promise);
  try {
    await grade(started.resolve);
  } finally {
    started.resolve();
    await archived;
  }
}

/** Whether a run was over before anything was graded, although its container may have begun to. */
function isAgentsEnd({ code, phase }: Fault): boolean {
  return phase === 'agent' && (code === 'disk_limit' || code === 'archive_limit');
}

/** Waits for the archive while grading runs, then ends the work container, whole, and removes it. Decides nothing. */
async function finishWork(
  { record, directory, place, course, signal }: RunScene,
  work: ContainerLease,
  started: Promise<void>,
): Promise<void> {
  const limit = AbortSignal.any([AbortSignal.timeout(ARCHIVE_LIMIT), signal]);
  const late = new Promise<void>((resolve) => limit.addEventListener('abort', () => resolve(), { once: true }));
  if (!limit.aborted) await Promise.race([work.told(), late]).catch(() => undefined);
  await started;
  if (!course.keep_container) await work[Symbol.asyncDispose]();
  await place.bringAll('work').catch(() => undefined);
  const outcome = await readWorkOutcome(directory.work);
  if (record.work && outcome) record.work = { ...record.work, archive: outcome.archive };
}

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
  grade: () => Promise<void> = () => gradePatch(scene, scene.record.work?.capture ?? null),
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
  const archived = work && finishWork(scene, work);
  try {
    await grade();
  } finally {
    await archived;
  }
}

/** Whether a run was over before anything was graded, although its container may have begun to. */
function isAgentsEnd({ code, phase }: Fault): boolean {
  return phase === 'agent' && (code === 'disk_limit' || code === 'archive_limit');
}

/** Waits for the archive while grading runs, then ends the work container, whole. Decides nothing. */
async function finishWork({ record, directory, place, course, signal }: RunScene, work: ContainerLease): Promise<void> {
  const limit = AbortSignal.any([AbortSignal.timeout(ARCHIVE_LIMIT), signal]);
  const late = new Promise<void>((resolve) => limit.addEventListener('abort', () => resolve(), { once: true }));
  if (!limit.aborted) await Promise.race([work.finished(), late]).catch(() => undefined);
  if (!course.keep_container) await work.kill().catch(() => undefined);
  await place.bringAll('work').catch(() => undefined);
  const outcome = await readWorkOutcome(directory.work);
  if (record.work && outcome) record.work = { ...record.work, archive: outcome.archive };
}

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { courseOf } from './course.ts';
import { gradePatch } from './grade-phase.ts';
import { writeOwnerFile } from './owner-file.ts';
import type { GradePlan } from './plan.ts';
import { prepareRun } from './prepare-run.ts';
import { openResultsPlace } from './results-place.ts';
import type { RunScene, Stage } from './run-scene.ts';
import { conductInDirectory, type RunContext, type RunReport } from './run-stage.ts';

/** The second half of a run alone: grades the patch of a file, by the same path as a run's. */
export function executeGrade(plan: GradePlan, context: RunContext): Promise<RunReport> {
  return conductInDirectory(plan, context, (stage) => grade(plan, context, stage));
}

async function grade(plan: GradePlan, context: RunContext, stage: Stage): Promise<void> {
  const { record, directory, facts, owner, engine, progress } = stage;
  await copyFile(plan.patch, join(directory.work, 'final.patch'));
  const prepared = await prepareRun(plan, context, engine, { ...stage, agent: undefined });
  const { keepContainer } = plan;
  const course = courseOf({ engine, record, prepared, keepContainer, model: null, agentGrace: undefined });
  await writeOwnerFile(directory, facts, owner, course);
  progress.phase('grading');
  await using place = await openResultsPlace(stage, course, 'new');
  const scene: RunScene = { ...stage, course, place };
  await gradePatch(scene, null);
}

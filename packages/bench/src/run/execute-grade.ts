import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gradeContainer } from './container-spec.ts';
import { gradePatch } from './grade-phase.ts';
import type { GradePlan } from './plan.ts';
import { prepareRun } from './prepare-run.ts';
import { conductInDirectory, type RunContext, type RunReport, type Stage } from './run-stage.ts';

/** The second half of a run alone: grades the patch of a file, by the same path as a run's. */
export function executeGrade(plan: GradePlan, context: RunContext): Promise<RunReport> {
  return conductInDirectory(plan, context, (stage) => grade(plan, context, stage));
}

async function grade(plan: GradePlan, context: RunContext, stage: Stage): Promise<void> {
  const { record, directory, owner, engine, signal } = stage;
  const prepared = await prepareRun(plan, context, engine, {
    record,
    signal,
    hostDirectory: dirname(owner.directory),
    ownerSocket: owner.socket,
    agent: undefined,
  });
  const { images } = prepared;
  const patch = join(directory.work, 'final.patch');
  await copyFile(plan.patch, patch);
  context.progress.phase('grading');
  await gradePatch({
    engine,
    record,
    signal,
    patch,
    expected: null,
    spec: gradeContainer(
      {
        runId: plan.runId,
        taskId: plan.task.id,
        settings: plan.settings,
        limits: record.limits,
        runtimeVolume: images.runtime.volume,
        resultsPath: directory.path,
        ownerSocket: owner.socket,
        keepAlive: plan.keepContainer,
      },
      {
        image: { id: images.tool.id, env: images.caseImage.env },
        results: directory.grade,
        hostSocketDir: owner.grade,
        agent: { duration: 0, exitCode: null, timedOut: false },
      },
    ),
    results: directory.grade,
    hostSocketDir: owner.grade,
    gradingTimeout: plan.settings.grading_timeout,
    keep: plan.keepContainer,
    progress: context.progress,
  });
}

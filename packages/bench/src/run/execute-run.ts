import { dirname, join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { putCheckMaterial, putEverything, putReferencePatch } from './answers.ts';
import { ContainerLease } from './container-lease.ts';
import { gradeContainer, type RunFrame, workContainer } from './container-spec.ts';
import { egressNetwork } from './egress.ts';
import { gradePatch } from './grade-phase.ts';
import { readGradeOutcome, readWorkOutcome } from './outcome-files.ts';
import type { RunPlan } from './plan.ts';
import { type Prepared, prepareRun } from './prepare-run.ts';
import { conductInDirectory, type RunContext, type RunReport, type Stage } from './run-stage.ts';
import { workInContainer } from './work-phase.ts';
import { saveReferencePatch } from './write-results.ts';

/** All that the steps of one run share. */
export interface RunScene extends Stage {
  plan: RunPlan;
  context: RunContext;
  prepared: Prepared;
  frame: RunFrame;
}

/** Runs one agent on one task and grades what it left. */
export function executeRun(plan: RunPlan, context: RunContext): Promise<RunReport> {
  return conductInDirectory(plan, context, (stage) => run(plan, context, stage));
}

async function run(plan: RunPlan, context: RunContext, stage: Stage): Promise<void> {
  const { record, directory, owner, engine, signal } = stage;
  const prepared = await prepareRun(plan, context, engine, {
    record,
    signal,
    hostDirectory: dirname(owner.directory),
    ownerSocket: owner.socket,
    agent: plan.agent,
  });
  const frame: RunFrame = {
    runId: plan.runId,
    taskId: plan.task.id,
    settings: plan.settings,
    limits: record.limits,
    runtimeVolume: prepared.images.runtime.volume,
    resultsPath: directory.path,
    ownerSocket: owner.socket,
    keepAlive: plan.keepContainer,
  };
  const scene: RunScene = { ...stage, plan, context, prepared, frame };
  if (plan.settings.grading === 'same') await workAndGradeInOne(scene);
  else await workThenGrade(scene);
}

/** The agent in one container, the grade in a fresh one. */
async function workThenGrade(scene: RunScene): Promise<void> {
  const { record, directory, context, engine, prepared, plan, signal } = scene;
  await using answers = await toolContainer(scene);
  await using beside = alongside(scene, saveReferencePatch(scene, answers.id));
  await using work = await record.during('start', 'create', () => agentContainer(scene, answers, 'work'));
  await workInContainer(scene, work);
  const outcome = record.work;
  if (!outcome || record.fault) return;
  context.progress.phase('grading');
  const archived = finishWork(scene, work);
  beside.defer(() => archived);
  await gradePatch({
    engine,
    record,
    signal,
    patch: join(directory.work, 'final.patch'),
    expected: outcome.capture,
    results: directory.grade,
    hostSocketDir: scene.owner.grade,
    spec: gradeContainer(scene.frame, {
      image: { id: prepared.images.tool.id, env: prepared.images.caseImage.env },
      results: directory.grade,
      hostSocketDir: scene.owner.grade,
      agent: { duration: outcome.agent.duration, exitCode: outcome.agent.exit_code, timedOut: outcome.agent.timed_out },
    }),
    gradingTimeout: plan.settings.grading_timeout,
    keep: plan.keepContainer,
    progress: context.progress,
  });
}

/** Both halves in the agent's container, for hosts that can't run two. */
async function workAndGradeInOne(scene: RunScene): Promise<void> {
  const { record, directory } = scene;
  await using answers = await toolContainer(scene);
  await using _beside = alongside(scene, saveReferencePatch(scene, answers.id));
  await using both = await record.during('start', 'create', () => agentContainer(scene, answers, 'same'));
  await workInContainer(scene, both);
  record.grade = await readGradeOutcome(directory.work);
  if (record.grade.fault) record.fail(record.grade.fault);
}

/** Work that goes on beside the run and is awaited before the containers that it needs are removed. */
function alongside({ record, signal }: RunScene, work: Promise<void>): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  const settled = work.catch((error: unknown) => record.failWith(error, signal));
  stack.defer(() => settled);
  return stack;
}

/** A container of the tool image that is never started: where the task's answers are copied from. */
function toolContainer({ engine, prepared, signal }: RunScene): Promise<ContainerLease> {
  return ContainerLease.create(engine, prepared.answersSpec, { keep: false, signal });
}

async function agentContainer(
  scene: RunScene,
  answers: ContainerLease,
  mode: 'work' | 'same',
): Promise<ContainerLease> {
  const { engine, plan, prepared, directory, owner, frame, signal } = scene;
  const spec = workContainer(frame, {
    image: agentImageOf(prepared),
    mode,
    agentGrace: plan.agentGrace,
    results: directory.work,
    hostSocketDir: owner.work,
    archive: directory.archive,
    network: await egressNetwork(engine, plan.settings.egress, signal),
  });
  const lease = await ContainerLease.create(engine, spec, { keep: plan.keepContainer, signal });
  try {
    const transfer = { engine, from: answers.id, to: lease.id, signal };
    const { config } = plan.task;
    if (mode === 'same') await putEverything(transfer, config.source);
    else await putCheckMaterial(transfer, config, plan.settings.difficulty);
    if (plan.settings.reference_run && config.files.patch) await putReferencePatch(transfer, config.files.patch);
    return lease;
  } catch (error) {
    await lease[Symbol.asyncDispose]();
    throw error;
  }
}

function agentImageOf({ images }: Prepared): NonNullable<Prepared['images']['agentImage']> {
  if (images.agentImage) return images.agentImage;
  throw new FaultError(fault('internal', 'the agent image was asked for and not made'));
}

/** How long the archive may still take once grading has begun, in milliseconds: its own limit in the container and some. */
const ARCHIVE_LIMIT = 180_000;

/** Waits for the archive while grading runs, then ends the work container, whole. Decides nothing. */
async function finishWork({ record, directory, plan, signal }: RunScene, work: ContainerLease): Promise<void> {
  const limit = AbortSignal.any([AbortSignal.timeout(ARCHIVE_LIMIT), signal]);
  const late = new Promise<void>((resolve) => limit.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([work.finished(), late]).catch(() => undefined);
  if (!plan.keepContainer) await work.kill().catch(() => undefined);
  const outcome = await readWorkOutcome(directory.work);
  if (record.work && outcome) record.work = { ...record.work, archive: outcome.archive };
}

/** A run whose agent phase did not end in time is ended from outside. @throws FaultError */
export function overran(limitSeconds: number): FaultError {
  return new FaultError(
    fault('agent_overran', `the agent phase had not ended ${limitSeconds} s after its start; the container was killed`),
  );
}

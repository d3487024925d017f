import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, fault } from '@ssebench/contracts/faults';
import { LABEL } from '@ssebench/contracts/labels';
import type { GatewayKind } from '@ssebench/contracts/model-use';
import type { ModelCourse, OwnerFile, RunCourse } from '@ssebench/contracts/owner-file';
import type { Summary } from '@ssebench/contracts/summary';
import type { ContainerSummary } from '@ssebench/engine/container';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';
import { GatewayError, type ModelGateway } from '../gateway/model-gateway.ts';
import type { RunProgress } from '../progress/run-progress.ts';
import { readOwner } from '../results/owner.ts';
import { weighFault } from './blame.ts';
import { ContainerLease } from './container-lease.ts';
import { clearGrade, followGrade, gradePatch } from './grade-phase.ts';
import { gradeWork } from './grade-work.ts';
import { ModelLease, noteUnread } from './model-lease.ts';
import { readGradeOutcome, readWorkOutcome } from './outcome-files.ts';
import { takeOver } from './owner.ts';
import { factsOf, secondsSince } from './owner-file.ts';
import { answersContainer } from './prepare-run.ts';
import { RunRecord } from './record.ts';
import { openResultsPlace, type ResultsPlace } from './results-place.ts';
import type { RunDirectory } from './run-directory.ts';
import { frameOf, type RunScene, type Stage } from './run-scene.ts';
import { followWork, WORK_FILES } from './work-phase.ts';
import { decidedOutcome, endRun, finishRun, patchInContainer, saveReferencePatch } from './write-results.ts';

/** Roles of containers that a user may want to keep. */
const KEPT: ReadonlySet<string | undefined> = new Set(['work', 'same', 'grade']);

export interface RecoveryContext {
  progress: RunProgress;
  /** Connects to the engine of this address; undefined: to the usual one. */
  connect(address: string | undefined): Promise<ContainerEngine>;
  /** The gateway that the run was given a key by. @throws GatewayError */
  gateway(kind: GatewayKind): Promise<ModelGateway>;
  /** Fires when the user stops the command. The run stays as it is then. */
  signal: AbortSignal;
  /** Whether to wait for an agent that still works. */
  wait: boolean;
}

/**
 * `ended`: with this outcome. `taken`: another command conducts it, or has ended it. `works`: its agent still does.
 * `stopped`: the user did not want to wait.
 */
export type Recovery = { state: 'ended'; outcome: Summary } | { state: 'taken' | 'works' | 'stopped' };

/**
 * Brings a run whose command was killed to its end, just as that one would have: waits for its work container as long as
 * that may take, grades the patch that was captured, writes the results and removes the containers. The agent never runs
 * again, and what was decided stays decided.
 * @throws EngineError when the engine does not answer, and as `endRun`; then the run stays as it is
 */
export async function recoverRun(
  directory: RunDirectory,
  { socket, directory: shortDirectory }: OwnerFile,
  context: RecoveryContext,
): Promise<Recovery> {
  const owner = await takeOver({ socket, directory: shortDirectory });
  if (!owner) return { state: 'taken' };
  // Only who owns the run can say what it is: the one before may have ended it since we looked.
  const file = readOwner(directory.live);
  if (!file) {
    await owner.release();
    return { state: 'taken' };
  }
  try {
    const decided = await decidedOutcome(directory);
    if (decided) {
      await finishRun(directory, decided);
      await owner.release();
      return { state: 'ended', outcome: decided };
    }
    const engine = await context.connect(file.course?.engine_address);
    try {
      const { progress, signal, wait, gateway } = context;
      const facts = factsOf(file);
      const record = new RunRecord();
      await using cleanup = new AsyncDisposableStack();
      const stage: Stage = { facts, record, directory, owner, engine, progress, signal, cleanup };
      const state = await collect(stage, file.course, { wait, gateway });
      if (state !== 'ended') {
        await owner.abandon();
        return { state };
      }
      await weighFault(record, directory);
      const outcome = await endRun(directory, facts, record);
      await removeRemains(stage, file.course);
      await owner.release();
      return { state: 'ended', outcome };
    } finally {
      engine.close();
    }
  } catch (error) {
    await owner.abandon();
    throw error;
  }
}

/** Finds out how the run went, and whatever of that is still to come. */
async function collect(
  stage: Stage,
  course: RunCourse | null,
  { wait, gateway }: Pick<RecoveryContext, 'wait' | 'gateway'>,
): Promise<'ended' | 'works' | 'stopped'> {
  const { record, signal } = stage;
  if (!course) {
    record.fail(killedBefore('anything of the run had begun'));
    return 'ended';
  }
  record.images = course.images;
  record.limits = course.limits;
  record.engine = course.engine;
  record.phases.push(...course.phases);
  let place: ResultsPlace | undefined;
  try {
    place = await openResultsPlace(stage, course, 'left');
    const scene: RunScene = { ...stage, course, place };
    if (!course.work) {
      await gradeLeft(scene);
    } else if ((await collectWork(scene, course.work.started, wait)) === 'works') {
      return 'works';
    }
    await saveReference(scene);
  } catch (error) {
    if (signal.aborted) return 'stopped';
    if (isEngineError(error, 'unreachable', 'timeout')) throw error;
    record.failWith(error, signal);
  }
  if (signal.aborted) return 'stopped';
  if (course.model) await closeModel(stage, course.model, gateway);
  // A run whose results are still on the engine alone has not ended.
  await place?.bringRest();
  return 'ended';
}

async function collectWork(
  scene: RunScene,
  started: NonNullable<RunCourse['work']>['started'],
  wait: boolean,
): Promise<'ended' | 'works'> {
  const { record, directory, place, engine, facts, course, signal } = scene;
  const isSame = facts.settings.grading === 'same';
  const found = (await containersOf(scene)).find(({ labels }) => labels[LABEL.role] === (isSame ? 'same' : 'work'));
  await place.bring('work', WORK_FILES);
  const left = await readWorkOutcome(directory.work);
  if (!found && !left) {
    record.fail(fault('container_lost', 'the work container is no longer on the engine', { phase: 'agent' }));
    return 'ended';
  }
  if (found?.state === 'created') {
    record.fail(killedBefore('its agent had begun'));
    return 'ended';
  }
  if (!wait && found?.state === 'running' && (isSame || !left)) return 'works';
  if (!found) {
    record.work = left ?? null;
    if (left?.fault) record.fail(left.fault, 'work');
    await gradeAsLeft(scene, undefined);
    return 'ended';
  }
  const lease = new ContainerLease(engine, found.id, { keep: course.keep_container });
  try {
    const since = (await engine.inspectContainer(found.id, { signal }))?.startedAt;
    const elapsed = secondsSince(started) ?? secondsElsewhere(engine, since);
    const end = await followWork(scene, lease, {
      begin: (socket, onEvent) => lease.join(socket, onEvent, since, signal),
      elapsed: elapsed ?? Number.POSITIVE_INFINITY,
    });
    if (end === 'stopped') return 'ended';
    if (elapsed === undefined && !record.work)
      record.weigh(fault('container_lost', 'the machine was started anew while the agent worked'));
    await gradeAsLeft(scene, lease);
  } finally {
    lease.leave();
  }
  return 'ended';
}

/** The key of a run that has ended is worth nothing any more, and what was spent stands in its record. */
async function closeModel(stage: Stage, course: ModelCourse, connect: RecoveryContext['gateway']): Promise<void> {
  try {
    await using _lease = ModelLease.take(stage, course, await connect(course.gateway));
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    noteUnread(stage.record, course, error);
  }
}

/** A restart of this machine does not end what runs on another one; its clock may be off ours by a little. */
function secondsElsewhere({ address }: ContainerEngine, since: Date | undefined): number | undefined {
  if (since === undefined || address.startsWith('unix://')) return undefined;
  return Math.max(0, (Date.now() - since.getTime()) / 1000);
}

function gradeAsLeft(scene: RunScene, lease: ContainerLease | undefined): Promise<void> {
  return gradeWork(scene, lease, () => gradeLeft(scene));
}

/**
 * The grade of the captured patch: of the grade container that goes on or has ended already, else of a fresh one. One that
 * was lost is no grade, unless a check had failed.
 */
async function gradeLeft(scene: RunScene): Promise<void> {
  const { record, directory, place, engine, course, signal } = scene;
  const found = (await containersOf(scene)).find(({ labels }) => labels[LABEL.role] === 'grade');
  if (found?.state === 'running') {
    const since = (await engine.inspectContainer(found.id, { signal }))?.startedAt;
    return followGrade(scene, found.id, since);
  }
  await place.bringAll('grade');
  const left = await readGradeOutcome(directory.grade);
  if (left.result) {
    record.grade = left;
    if (left.fault) record.fail(left.fault, 'grade');
    return;
  }
  // One that is kept keeps its volume, which is needed once more.
  if (found && !(course.keep_container && course.host_mounts))
    await engine.remove(found.id, { force: true, volumes: true });
  await clearGrade(scene);
  await gradePatch(scene, record.work?.capture ?? null);
}

/** Saved by the run's own command beside everything else; that one may not have come so far. */
async function saveReference(scene: RunScene): Promise<void> {
  const { directory, facts, engine, course, signal } = scene;
  const { config } = facts.task;
  if (!config.files.patch || existsSync(join(directory.live, 'reference.patch'))) return;
  try {
    const spec = answersContainer(course.grader.image, frameOf(scene));
    await using answers = await ContainerLease.create(engine, spec, { keep: false, signal });
    await saveReferencePatch(directory, () => patchInContainer(engine, answers.id, config));
  } catch (error) {
    if (!isEngineError(error)) throw error;
  }
}

/** What the run has on the engine goes, except for what its user wanted to keep. What can't go is left to `ssebench gc`. */
async function removeRemains(stage: Stage, course: RunCourse | null): Promise<void> {
  const { engine, owner } = stage;
  try {
    for (const { id, labels } of await containersOf(stage)) {
      if (course?.keep_container && KEPT.has(labels[LABEL.role])) continue;
      await engine.remove(id, { force: true, volumes: true });
    }
    for (const { name } of await engine.listVolumes({ [LABEL.owner]: owner.socket })) await engine.removeVolume(name);
  } catch (error) {
    if (!isEngineError(error)) throw error;
  }
}

function containersOf({ engine, owner, signal }: Stage): Promise<ContainerSummary[]> {
  return engine.listContainers({ [LABEL.owner]: owner.socket }, { signal });
}

function killedBefore(what: string): Fault {
  return fault('container_lost', `the command that conducted the run was killed before ${what}`, { phase: 'start' });
}

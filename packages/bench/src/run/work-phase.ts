import { join } from 'node:path';
import type { Step } from '@ssebench/contracts/events';
import { type Fault, fault, type Phase } from '@ssebench/contracts/faults';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import { dropExcess } from './archive-excess.ts';
import { explainByDisk } from './blame.ts';
import type { ContainerLease } from './container-lease.ts';
import { DiskWatch } from './disk-watch.ts';
import { lookFor, lookForEnd } from './look-for.ts';
import { modelSocket } from './model-lease.ts';
import { carryModel } from './model-tunnel.ts';
import { readWorkOutcome } from './outcome-files.ts';
import { hostSocket } from './results-place.ts';
import type { RunScene } from './run-scene.ts';

/** What the services' start and the capture may take beside the agent's own time, in seconds. */
const START_ALLOWANCE = 330;
const CAPTURE_ALLOWANCE = 600;
/** How long a container has to end by itself when the run is stopped, in seconds. */
const STOP_GRACE = 20;
/** What a timer can take, in milliseconds: 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** All of a work container's results that decides something. */
export const WORK_FILES = [RESULT_FILE.work, RESULT_FILE.patch];

/** Only to say where a container was lost; nothing is decided by it. */
const PHASE_OF: Partial<Record<Step, Phase>> = {
  services: 'start',
  agent: 'agent',
  ending: 'agent',
  capture: 'capture',
  grading: 'grading',
};

/** How the watching of a work container ended: by itself, or because the user stopped the command. */
export type WorkEnd = 'ended' | 'stopped';

/** Beginnings of a watch: the container is started by us, or was by somebody else some time ago. */
export interface Watch {
  /** Makes the lease hear of the container's events. */
  begin(socket: string | undefined, onEvent: Parameters<ContainerLease['start']>[1]): Promise<void>;
  /** Seconds since the container's start. */
  elapsed: number;
}

/**
 * Watches the agent's container until its patch is captured (in `same`: until it is graded), or it ended, or the
 * user or the host's own deadline ends it. What it left of its outcome, or why it left none, stands in the record.
 */
export async function followWork(scene: RunScene, lease: ContainerLease, { begin, elapsed }: Watch): Promise<WorkEnd> {
  const { record, progress, directory, engine, signal, facts, course } = scene;
  const both = facts.settings.grading === 'same';
  const captured = Promise.withResolvers<void>();
  let phase = 'start' as Phase;
  using watch = new DiskWatch({
    engine,
    containerId: lease.id,
    limits: course.limits,
    results: directory.live,
    // In a volume it counts with the container's layer.
    archive: course.host_mounts ? directory.archive : null,
    phase: () => (phase === 'start' ? 'agent' : phase),
  });
  await record.during('start', 'start', () =>
    begin(hostSocket(scene, course, 'work'), (event) => {
      progress.event(event);
      if (event.type === 'captured') captured.resolve();
      if (event.type === 'step_started') phase = PHASE_OF[event.step] ?? phase;
    }),
  );
  const seen = new AbortController();
  if (course.model && !course.socket_mounts) void carryModel(engine, lease.id, modelSocket(scene.owner), seen.signal);
  progress.phase('agent', join(directory.work, 'agent.log'));
  const limit = workLimit(scene);
  if (!course.socket_mounts) phase = 'agent';
  if (!course.socket_mounts || elapsed > 0) {
    void lookFor(scene, 'work', RESULT_FILE.work, seen.signal).then(() => {
      if (both) phase = 'grading';
      captured.resolve();
    }, captured.reject);
    // Where nobody waits for the capture, what keeps us from looking is met again when the results are read.
    captured.promise.catch(() => undefined);
  }
  void lookForEnd(scene, 'work', lease);
  let end: WorkEnd = 'ended';
  const done = both ? lease.finished() : Promise.race([captured.promise, lease.finished()]);
  try {
    const stop = await record.during('agent', both ? 'agent and grading' : 'agent', () =>
      until(Promise.race([done, watch.broken]), limit - elapsed, signal),
    );
    if (stop) {
      // Only the agent's container has something to say when it is asked to stop; one that grades would take back checks.
      const isGentle = !stop.urgent && phase !== 'grading';
      record.fail(await watch.stopping(stop, () => (isGentle ? lease.stop(STOP_GRACE) : lease.kill())));
    }
  } catch (error) {
    if (error instanceof StoppedError) end = 'stopped';
    else if (error instanceof OverdueError) {
      await lease.stop(0);
      record.fail(overran(limit));
    } else throw error;
  } finally {
    seen.abort();
  }
  if (end === 'ended') {
    await takeOutcome(scene, lease, () => phase, watch);
    if (record.fault) await dropExcess(directory.archive, record.fault);
  }
  return end;
}

/** Ends the container of a run that the user stops, in its own words where it still finds some. */
export async function stopWork({ record, directory, place, signal }: RunScene, lease: ContainerLease): Promise<void> {
  await lease.stop(STOP_GRACE);
  record.fail(fault('interrupted', `stopped by ${String(signal.reason)}`));
  await place.bring('work', WORK_FILES);
  record.work = (await readWorkOutcome(directory.work)) ?? null;
}

async function takeOutcome(
  { record, directory, place }: RunScene,
  lease: ContainerLease,
  phaseNow: () => Phase,
  watch: DiskWatch,
): Promise<void> {
  await place.bring('work', WORK_FILES);
  record.work = (await readWorkOutcome(directory.work)) ?? null;
  await explainByDisk(record, record.work?.fault, watch);
  if (record.work?.fault) record.fail(record.work.fault, 'work');
  if (!record.work && !record.fault) record.fail(await lease.lost(phaseNow));
}

/** Seconds from the container's start to the host's own deadline. */
function workLimit({ facts: { settings }, course }: RunScene): number {
  const grading = settings.grading === 'same' ? settings.grading_timeout : 0;
  return START_ALLOWANCE + settings.timeout + (course.work?.agent_grace ?? 0) + CAPTURE_ALLOWANCE + grading;
}

/** A run whose agent phase did not end in time is ended from outside. */
function overran(limit: number): Fault {
  return fault('agent_overran', `the agent phase had not ended ${limit} s after its start; the container was killed`);
}

class StoppedError extends Error {}
class OverdueError extends Error {}

/** Waits for `done`, but no longer than `seconds` (`OverdueError`) and not beyond the user's wish to stop (`StoppedError`). */
async function until<T>(done: Promise<T>, seconds: number, signal: AbortSignal): Promise<T> {
  const overdue = Promise.withResolvers<never>();
  const stop = (): void => overdue.reject(new StoppedError());
  const ms = Math.min(Math.max(0, seconds) * 1000, LONGEST_TIMER);
  const timer = setTimeout(() => overdue.reject(new OverdueError()), ms);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([done, overdue.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

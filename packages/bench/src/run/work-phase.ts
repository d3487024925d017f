import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fault } from '@ssebench/contracts/faults';
import type { ContainerLease } from './container-lease.ts';
import { overran, type RunScene } from './execute-run.ts';
import { readWorkOutcome } from './outcome-files.ts';

/** What the services' start and the capture may take beside the agent's own time, in seconds. */
const START_ALLOWANCE = 330;
const CAPTURE_ALLOWANCE = 600;
/** How long a container has to end by itself when the run is stopped, in seconds. */
const STOP_GRACE = 20;
/** Where the container's events can't be heard, we look for its outcome this often. Milliseconds. */
const LOOK_INTERVAL = 200;

/**
 * Starts the agent's container and waits until its patch is captured (in `same`: until it is graded), or it ended, or the
 * user or the host's own deadline ends it. What it left of its outcome, or why it left none, stands in the record.
 */
export async function workInContainer(scene: RunScene, lease: ContainerLease): Promise<void> {
  const { record, owner, plan, context, directory, signal, prepared } = scene;
  const { settings } = plan;
  const captured = Promise.withResolvers<void>();
  await record.during('start', 'start', () =>
    lease.start(
      join(owner.work, 'host.sock'),
      (event) => {
        context.progress.event(event);
        if (event.type === 'captured') captured.resolve();
      },
      signal,
    ),
  );
  context.progress.phase('agent', join(directory.work, 'agent.log'));
  const both = settings.grading === 'same';
  const limit =
    START_ALLOWANCE + settings.timeout + plan.agentGrace + CAPTURE_ALLOWANCE + (both ? settings.grading_timeout : 0);
  const seen = new AbortController();
  if (!prepared.abilities.socketMounts) void lookForOutcome(directory.work, seen.signal).then(captured.resolve);
  try {
    await record.during('agent', both ? 'agent and grading' : 'agent', () =>
      until(both ? lease.finished() : Promise.race([captured.promise, lease.finished()]), limit, signal),
    );
  } catch (error) {
    await lease.stop(error instanceof StoppedError ? STOP_GRACE : 0);
    record.fail(
      error instanceof StoppedError ? fault('interrupted', `stopped by ${error.reason}`) : overran(limit).fault,
    );
  } finally {
    seen.abort();
  }
  record.work = (await readWorkOutcome(directory.work)) ?? null;
  if (record.work?.fault) record.fail(record.work.fault);
  if (!record.work)
    record.fail(fault('container_lost', 'the work container ended without telling how the agent phase went'));
}

class StoppedError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Waits for `done`, but no longer than `seconds` (rejects) and not beyond the user's wish to stop (`StoppedError`). */
async function until(done: Promise<void>, seconds: number, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.timeout(seconds * 1000);
  const either = AbortSignal.any([signal, deadline]);
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.aborted ? new StoppedError(String(signal.reason)) : deadline.reason);
  either.addEventListener('abort', stop, { once: true });
  if (either.aborted) stop();
  try {
    await Promise.race([done, stopped.promise]);
  } finally {
    either.removeEventListener('abort', stop);
  }
}

async function lookForOutcome(directory: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await readWorkOutcome(directory))) await delay(LOOK_INTERVAL);
}

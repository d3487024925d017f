import { setTimeout as pause } from 'node:timers/promises';
import { archiveExcess, type DiskUse, diskExcess } from '@ssebench/contracts/caps';
import { type Fault, FaultError, fault } from '@ssebench/contracts/faults';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';
import { endProcessesOf } from '../../system/processes.ts';
import { giveBack } from '../archive-owner.ts';
import { archiveUse } from '../archive-watch.ts';
import { log } from '../log.ts';
import { closeModel } from '../model-access.ts';
import type { RunContext } from '../run-context.ts';
import { writtenHere } from '../written-here.ts';
import type { Phase } from './phase.ts';

/** Limit of the daemon's part, which ends in bounded time of its own; and in a run that is to stop. Milliseconds. */
const END_MS = 60_000;
const STOP_MS = 3_000;

/** Limit of measuring what the container wrote. Milliseconds. */
const MEASURE_MS = 30_000;
const NOTHING: DiskUse = { bytes: 0, files: 0 };

/** How often, and after what pause, a daemon that does not answer at all is asked again. */
const TRIES = 5;
const PAUSE_MS = 100;

/**
 * Ends the agent phase, however it went: closes the agent's tools, ends its processes, gives the archive back.
 * Fails closed: a phase that did not end for certain is a fault, and nothing is graded.
 */
export const endPhase: Phase = {
  step: 'ending',
  afterFault: true,
  async run(run) {
    try {
      await endAgentAndItsWays(run);
      await judgeDisk(run);
    } finally {
      returnArchive(run);
    }
  },
};

async function endAgentAndItsWays(run: RunContext): Promise<void> {
  try {
    await endAgent(run);
  } finally {
    await run.mcp?.close();
    if (run.relay) await closeModel(run.relay, run.settings);
  }
}

async function endAgent(run: RunContext): Promise<void> {
  if (!run.daemon.running) return endWithoutDaemon(run);
  for (let attempt = 1; ; attempt += 1) {
    const inHurry = run.stopped.aborted || run.fault !== null;
    try {
      const limit = inHurry ? { timeoutMs: STOP_MS } : { timeoutMs: END_MS, signal: run.stopped };
      return await run.daemonClient.agentExited(limit);
    } catch (error) {
      if (error instanceof DaemonError) {
        if (error.code !== 'unreachable' || attempt === TRIES) throw new FaultError(endFault(error), { cause: error });
      } else if (inHurry || !run.stopped.aborted) {
        throw error;
      }
    }
    await pause(PAUSE_MS);
  }
}

/**
 * What the agent wrote just before its end counts, too: nobody writes any more, and nobody else sees this moment for certain.
 * @throws FaultError `archive_limit`, `disk_limit`
 */
async function judgeDisk({ settings: { archive, diskLimit, root }, stopped }: RunContext): Promise<void> {
  const archived = archive === undefined ? NOTHING : await archiveUse(archive).catch(cantMeasure);
  const excess = archiveExcess(archived);
  if (excess !== undefined) throw new FaultError(fault('archive_limit', `the agent's archive: ${excess}`));
  if (diskLimit === undefined || !root) return;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(MEASURE_MS)]);
  const own = await writtenHere(archive, signal).catch((error: unknown) => {
    // The host watched this run all the time; here only the last moments are new.
    log('WARN', 'What the container wrote could not be measured', { error: String(error) });
    return NOTHING;
  });
  const over = diskExcess(own.bytes, archived.bytes, diskLimit);
  if (over !== undefined) throw new FaultError(fault('disk_limit', over));
}

function cantMeasure(error: unknown): never {
  throw new FaultError(fault('archive_limit', `the agent's archive can't be measured: ${String(error)}`));
}

/** The run is lost already; this only leaves nothing of the agent behind. */
async function endWithoutDaemon({ settings, fault: cause }: RunContext): Promise<void> {
  if (settings.root) {
    const { survivors } = await endProcessesOf([settings.account.uid], { signal: AbortSignal.timeout(STOP_MS) });
    if (survivors.length > 0) log('WARN', 'Processes of the agent are left', { pids: survivors.join(',') });
  }
  if (!cause) throw new FaultError(fault('service_lost', 'the daemon ended before the agent phase did'));
}

function endFault({ code, message }: DaemonError): Fault {
  return fault(code === 'unreachable' ? 'service_lost' : 'processes_survived', message);
}

function returnArchive({ settings: { archive }, archiveOwner }: RunContext): void {
  if (!archive || !archiveOwner) return;
  try {
    const left = giveBack(archive, archiveOwner);
    if (left > 0) log('WARN', 'Parts of the archive keep their owner', { entries: left });
  } catch (error) {
    log('WARN', 'The archive could not be given back to its owner', { error: String(error) });
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, FaultError, fault } from '@ssebench/contracts/faults';
import { DaemonError } from '../../client/daemon-error.ts';
import { endProcessesOf } from '../../system/processes.ts';
import { giveBack } from '../archive-owner.ts';
import { archiveOver } from '../archive-watch.ts';
import { log } from '../log.ts';
import type { RunContext } from '../run-context.ts';
import type { Phase } from './phase.ts';

/** Limit of the daemon's part, which ends in bounded time of its own; and in a run that is to stop. Milliseconds. */
const END_MS = 60_000;
const STOP_MS = 3_000;

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
      await endAgent(run);
      await judgeArchive(run);
    } finally {
      returnArchive(run);
    }
  },
};

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

/** What the agent wrote just before its end counts, too: nobody writes any more. @throws FaultError `archive_limit` */
async function judgeArchive({ settings: { archive } }: RunContext): Promise<void> {
  if (!archive) return;
  const excess = await archiveOver(archive).catch((error: unknown) => `can't be measured: ${String(error)}`);
  if (excess !== undefined) throw new FaultError(fault('archive_limit', `the agent's archive: ${excess}`));
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

import { join } from 'node:path';
import { type Fault, FaultError, fault } from '@ssebench/contracts/faults';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import { brokenGrade } from '../evaluator/outcome.ts';
import { writeGrade } from '../evaluator/records.ts';
import { agentRuntime } from '../evaluator/settings.ts';
import { writeFileAtomic } from '../system/atomic-file.ts';
import { aborted } from '../system/waiting.ts';
import { TIMED_OUT_STATUS } from './agent-process.ts';
import { agentVariables } from './agent-result.ts';
import type { ArchiveOwner } from './archive-owner.ts';
import { log } from './log.ts';
import { PHASES } from './modes.ts';
import type { Phase } from './phases/phase.ts';
import { RunContext } from './run-context.ts';
import type { Service } from './service.ts';
import type { Settings } from './settings.ts';
import { tidy } from './tidy.ts';
import { recordOutcome } from './work-record.ts';

/** Limits of what comes after the last phase. Milliseconds. */
const FLUSH_MS = 2_000;
const STOP_MS = 3_000;

/** Runs the phases of the mode, leaves a record of how the run went, ends the services. Returns the exit status. */
export async function superviseRun(
  settings: Settings,
  daemon: Service,
  archiveOwner: ArchiveOwner | null,
): Promise<number> {
  const run = new RunContext(settings, daemon, archiveOwner);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => run.interrupt(signal));
  for (const phase of PHASES[run.settings.mode]) {
    if (run.fault && !phase.afterFault) continue;
    await runPhase(run, phase);
  }
  const recorded = await record(run);
  if (settings.mode === 'grade') await tidy(run);
  run.events.publish({ type: 'step_started', step: 'done' });
  await run.events.flush(FLUSH_MS);
  const keptAlive = run.settings.keepAlive && !run.stopped.aborted;
  if (keptAlive) {
    // The host may have no way to hear of events.
    await writeFileAtomic(join(run.settings.results, RESULT_FILE.done), '');
    log('INFO', 'Kept alive until a signal');
    await aborted(run.stopped);
  }
  await run.evaluator?.stop(STOP_MS);
  await run.daemon.stop(STOP_MS);
  run.daemonClient.close();
  if (!recorded) return 1;
  return keptAlive ? 0 : exitStatus(run);
}

async function runPhase(run: RunContext, { step, run: work }: Phase): Promise<void> {
  const start = performance.now();
  run.step = step;
  run.events.publish({ type: 'step_started', step });
  try {
    await work(run);
  } catch (error) {
    if (error instanceof FaultError) run.fail(error.fault);
    else if (!run.stopped.aborted) run.fail(internalFault(error, run));
  }
  run.events.publish({ type: 'step_ended', step, duration_ms: Math.round(performance.now() - start) });
}

function internalFault(error: unknown, { phase }: RunContext): Fault {
  log('ERROR', 'Unexpected', { stack: error instanceof Error ? (error.stack ?? null) : null });
  return fault('internal', String(error), { phase });
}

/** Leaves the files that say why a run has no grade. False when that failed: then only our log and status tell. */
async function record(run: RunContext): Promise<boolean> {
  const { settings, fault: cause } = run;
  if (!cause) return true;
  try {
    if (settings.mode !== 'grade') await recordOutcome(run);
    if (settings.mode !== 'work' && !run.graded) {
      await writeGrade(
        settings.results,
        brokenGrade([], null, { fault: cause, timeoutSeconds: null }),
        agentRuntime(agentVariables(run)),
      );
    }
    return true;
  } catch (error) {
    log('ERROR', 'The outcome could not be recorded', { error: String(error) });
    return false;
  }
}

/** The agent's status in the modes that have one, 124 when its limit ended it; 1 when a fault kept the run from its grade. */
function exitStatus({ settings: { mode }, agent, fault: cause }: RunContext): number {
  if (mode === 'grade') return cause ? 1 : 0;
  if (agent?.timedOut) return TIMED_OUT_STATUS;
  return cause || !agent ? 1 : agent.exitCode;
}

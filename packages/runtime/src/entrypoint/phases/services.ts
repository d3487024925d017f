import { FaultError, fault } from '@ssebench/contracts/faults';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';
import { aborted, within } from '../../system/waiting.ts';
import { startEvaluator } from '../evaluator-service.ts';
import { log } from '../log.ts';
import { lastLines } from '../log-file.ts';
import { McpAccess } from '../mcp-access.ts';
import { openModel } from '../model-access.ts';
import type { RunContext } from '../run-context.ts';
import type { Service } from '../service.ts';
import type { Phase } from './phase.ts';

/** Lines of the daemon's log that are shown when it did not start. Source: spec/runtime §4.3. */
const LINES_SHOWN = 50;

/** How long after closing its readiness pipe a dying daemon may take to be gone. Milliseconds. */
const END_MS = 1_000;

/** Waits until the daemon says that it is ready, and asks it where the agent's tree is. */
export const services: Phase = {
  step: 'services',
  async run(run) {
    const { settings, daemon } = run;
    // Where nothing but grading is to be done, the evaluator loads while the daemon does.
    if (settings.mode === 'grade' && settings.gradingTimeout !== undefined)
      run.evaluator = startEvaluator(run, settings.gradingTimeout);
    const ready = await within(Promise.race([daemon.ready, aborted(run.stopped)]), settings.daemonTimeout * 1000);
    if (run.stopped.aborted) return;
    if (!ready) await notReady(daemon, settings.daemonTimeout);
    log('INFO', 'Daemon ready');
    run.events.open();
    if (settings.mode === 'grade') return;
    run.source = await sourceOf(run);
    run.relay = await openModel(settings).catch((error: unknown) => {
      throw new FaultError(fault('start_failed', `the model's port can't be opened: ${String(error)}`));
    });
    run.mcp = await McpAccess.open(settings).catch((error: unknown) => {
      throw new FaultError(fault('start_failed', `the MCP server's port can't be opened: ${String(error)}`));
    });
  },
};

async function sourceOf({ daemonClient, stopped }: RunContext): Promise<string> {
  try {
    return (await daemonClient.project({ signal: stopped })).source;
  } catch (error) {
    if (!(error instanceof DaemonError)) throw error;
    throw new FaultError(fault('start_failed', `the daemon does not say what the task is: ${error.message}`));
  }
}

/** @throws FaultError `start_failed`, always; the daemon's last lines go to our log */
async function notReady(daemon: Service, timeoutSeconds: number): Promise<never> {
  const end = await within(daemon.ended, END_MS);
  const lines = lastLines(daemon.logPath, LINES_SHOWN);
  for (const line of lines) log('ERROR', line, { of: daemon.name });
  const what = end
    ? `ended with ${end.signal ?? `status ${end.code}`} before it was ready`
    : `was not ready within ${timeoutSeconds} s`;
  throw new FaultError(fault('start_failed', `the daemon ${what}: ${lines.at(-1) ?? 'its log is empty'}`));
}

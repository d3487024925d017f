import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { ENV } from '@ssebench/contracts/layout';
import { DaemonError } from '../../client/daemon-error.ts';
import { aborted, within } from '../../system/waiting.ts';
import { log } from '../log.ts';
import { lastLines } from '../log-file.ts';
import { programArgv } from '../program.ts';
import { rootEnvironment } from '../root-environment.ts';
import type { RunContext } from '../run-context.ts';
import { Service } from '../service.ts';
import type { Settings } from '../settings.ts';
import type { Phase } from './phase.ts';

/** Lines of the daemon's log that are shown when it did not start. Source: spec/runtime §4.3. */
const LINES_SHOWN = 50;

/** How long after closing its readiness pipe a dying daemon may take to be gone. Milliseconds. */
const END_MS = 1_000;

/** Starts the daemon and waits until it says that it is ready. */
export const services: Phase = {
  step: 'services',
  async run(run) {
    const { settings } = run;
    const daemon = startDaemon(settings);
    run.daemon = daemon;
    const ready = await within(Promise.race([daemon.ready, aborted(run.stopped)]), settings.daemonTimeout * 1000);
    if (run.stopped.aborted) return;
    if (!ready) await notReady(daemon, settings.daemonTimeout);
    log('INFO', 'Daemon ready');
    run.events.open();
    if (settings.mode !== 'grade') run.source = await sourceOf(run);
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

function startDaemon(settings: Settings): Service {
  const socketDir = dirname(settings.adminSocket);
  mkdirSync(socketDir, { recursive: true });
  chmodSync(socketDir, 0o700);
  return new Service({
    name: 'daemon',
    argv: programArgv('daemon'),
    env: rootEnvironment(process.env, daemonVariables(settings)),
    logPath: join(settings.results, 'daemon.log'),
  });
}

/** Listeners exist where they are named: the agent's are none of the grade container's, which grades a given patch. */
function daemonVariables({ mode, results, adminSocket, agentSocket, httpPort }: Settings): Record<string, string> {
  const common = { [ENV.results]: results, [ENV.adminSocket]: adminSocket };
  if (mode === 'grade') return { ...common, [ENV.capture]: 'given' };
  return { ...common, [ENV.daemonSocket]: agentSocket, [ENV.httpPort]: String(httpPort) };
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

import { join } from 'node:path';
import { CAPS } from '@ssebench/contracts/caps';
import { type Fault, FaultError, fault } from '@ssebench/contracts/faults';
import { ENV } from '@ssebench/contracts/layout';
import { AgentNotStarted, runAgent } from '../agent-process.ts';
import { watchArchive } from '../archive-watch.ts';
import { log } from '../log.ts';
import { CappedLog } from '../log-file.ts';
import type { RunContext } from '../run-context.ts';
import type { Phase } from './phase.ts';

/** Grace of an agent whose run is to stop now: the engine's own grace is 10 s for everything. Milliseconds. */
const STOP_GRACE_MS = 2_000;

/** Runs the agent, and ends it at its limits, when the run is to stop, and when a service that it needs is gone. */
export const agent: Phase = {
  step: 'agent',
  async run(run) {
    const { settings, daemon } = run;
    const lost = new AbortController();
    const ended = new AbortController();
    const end = (cause: Fault): void => {
      if (ended.signal.aborted) return;
      run.fail(cause);
      lost.abort();
    };
    void daemon.ended.then((how) => {
      end(fault('service_lost', `the daemon ended with ${how.signal ?? `status ${how.code}`} while the agent ran`));
    });
    void boundArchive(run, ended.signal).then((cause) => cause && end(cause));
    const output = new CappedLog(join(settings.results, 'agent.log'), CAPS.agent_log_bytes);
    try {
      run.agent = await runAgent({
        command: settings.command,
        account: settings.account,
        root: settings.root,
        env: {
          ...settings.agentEnv,
          [ENV.daemonSocket]: settings.agentSocket,
          [ENV.timeout]: String(settings.agentTimeout),
          [ENV.deadline]: String(Math.floor(Date.now() / 1000) + settings.agentTimeout),
          [ENV.agentGrace]: String(settings.agentGrace),
          ...(run.source ? { [ENV.source]: run.source } : {}),
        },
        cwd: settings.cwd,
        output,
        limitMs: settings.agentTimeout * 1000,
        graceMs: settings.agentGrace * 1000,
        stop: AbortSignal.any([run.stopped, lost.signal]),
        stopGraceMs: Math.min(STOP_GRACE_MS, settings.agentGrace * 1000),
      });
      const { exitCode, timedOut, durationMs } = run.agent;
      log('INFO', 'Agent ended', { status: exitCode, timed_out: timedOut, duration_ms: Math.round(durationMs) });
    } catch (error) {
      if (!(error instanceof AgentNotStarted)) throw error;
      throw new FaultError(fault('agent_not_started', `${JSON.stringify(settings.command[0])}: ${error.message}`));
    } finally {
      ended.abort();
      output.close();
    }
  },
};

/** Why the agent is ended, when its archive gets too large while it works. */
async function boundArchive({ settings: { archive } }: RunContext, ended: AbortSignal): Promise<Fault | undefined> {
  if (!archive) return undefined;
  try {
    const excess = await watchArchive(archive, ended);
    return excess === undefined ? undefined : fault('archive_limit', `the agent's archive: ${excess}`);
  } catch (error) {
    return fault('archive_limit', `the agent's archive can't be measured: ${String(error)}`);
  }
}

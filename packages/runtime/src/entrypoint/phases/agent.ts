import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { ENV } from '@ssebench/contracts/layout';
import { AgentNotStarted, runAgent } from '../agent-process.ts';
import { log } from '../log.ts';
import { CappedLog } from '../log-file.ts';
import type { Phase } from './phase.ts';

const LOG_CAP_BYTES = 64 * 1024 * 1024;

/** Grace of an agent whose run is to stop now: the engine's own grace is 10 s for everything. Milliseconds. */
const STOP_GRACE_MS = 2_000;

/** Runs the agent, and ends it at its limit, when the run is to stop, and when a service that it needs is gone. */
export const agent: Phase = {
  step: 'agent',
  async run(run) {
    const { settings, daemon } = run;
    const serviceLost = new AbortController();
    let agentEnded = false;
    void daemon.ended.then((end) => {
      if (agentEnded) return;
      run.fail(
        fault('service_lost', `the daemon ended with ${end.signal ?? `status ${end.code}`} while the agent ran`),
      );
      serviceLost.abort();
    });
    const output = new CappedLog(join(settings.results, 'agent.log'), LOG_CAP_BYTES);
    try {
      run.agent = await runAgent({
        command: settings.command,
        account: settings.account,
        root: settings.root,
        env: {
          ...settings.agentEnv,
          [ENV.daemonSocket]: settings.agentSocket,
          [ENV.timeout]: String(settings.agentTimeout),
          ...(run.source ? { [ENV.source]: run.source } : {}),
        },
        cwd: settings.cwd,
        output,
        limitMs: settings.agentTimeout * 1000,
        graceMs: settings.agentGrace * 1000,
        stop: AbortSignal.any([run.stopped, serviceLost.signal]),
        stopGraceMs: Math.min(STOP_GRACE_MS, settings.agentGrace * 1000),
      });
      const { exitCode, timedOut, durationMs } = run.agent;
      log('INFO', 'Agent ended', { status: exitCode, timed_out: timedOut, duration_ms: Math.round(durationMs) });
    } catch (error) {
      if (!(error instanceof AgentNotStarted)) throw error;
      throw new FaultError(fault('agent_not_started', `${JSON.stringify(settings.command[0])}: ${error.message}`));
    } finally {
      agentEnded = true;
      output.close();
    }
  },
};

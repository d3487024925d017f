import { ENV } from '@ssebench/contracts/layout';
import type { RunContext } from './run-context.ts';

/**
 * How the agent ended, as the evaluator is told: from this run, or in a container that only grades as the host said.
 * Source: spec/runtime §4.6.
 */
export function agentVariables({ agent, settings }: Pick<RunContext, 'agent' | 'settings'>): Record<string, string> {
  if (!agent) return settings.agentVariables;
  return {
    [ENV.agentDuration]: String(Math.floor(agent.durationMs / 1000)),
    [ENV.agentExitStatus]: String(agent.exitCode),
    ...(agent.timedOut ? { [ENV.agentTimedOut]: 'true' } : {}),
  };
}

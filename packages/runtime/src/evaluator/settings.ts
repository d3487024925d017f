import { CONTAINER, DEFAULTS, ENV } from '@ssebench/contracts/layout';
import type { RuntimeResult } from '@ssebench/contracts/result';
import { secondsOf } from '../system/seconds.ts';

export interface EvaluatorSettings {
  adminSocket: string;
  results: string;
  /** Seconds, both. */
  checkTimeout: number;
  gradingTimeout: number;
  /** How the agent's phase ended, as far as this process was told. */
  agent: AgentRuntime;
}

export type AgentRuntime = Omit<RuntimeResult, 'evaluator_timeout'>;

/**
 * Reads the evaluator's environment. Source: spec/runtime §15.
 * @throws RangeError that names the variable and what it must be
 */
export function evaluatorSettings(env: NodeJS.ProcessEnv): EvaluatorSettings {
  const gradingTimeout = secondsOf(env, ENV.gradingTimeout);
  if (gradingTimeout === undefined) throw new RangeError(`${ENV.gradingTimeout} is not set`);
  return {
    adminSocket: env[ENV.adminSocket] ?? CONTAINER.adminSocket,
    results: env[ENV.results] ?? CONTAINER.results,
    checkTimeout: secondsOf(env, ENV.checkTimeout) ?? DEFAULTS.checkTimeout,
    gradingTimeout,
    agent: agentRuntime(env),
  };
}

/** @throws RangeError */
export function agentRuntime(env: NodeJS.ProcessEnv): AgentRuntime {
  return {
    agent_duration: wholeNumber(env, ENV.agentDuration) ?? 0,
    agent_timeout: env[ENV.agentTimedOut] !== undefined,
    agent_exit_code: wholeNumber(env, ENV.agentExitStatus) ?? null,
  };
}

function wholeNumber(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const value = env[name];
  if (value === undefined) return undefined;
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new RangeError(`${name} must be a whole number, got ${JSON.stringify(value)}`);
}

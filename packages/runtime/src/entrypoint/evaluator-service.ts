import { join } from 'node:path';
import { ENV } from '@ssebench/contracts/layout';
import { agentVariables } from './agent-result.ts';
import { programArgv } from './program.ts';
import { rootEnvironment } from './root-environment.ts';
import type { RunContext } from './run-context.ts';
import { Service } from './service.ts';

/** Starts the evaluator, which begins when its service is told to. `limit`: of grading as a whole, in seconds. */
export function startEvaluator(run: Pick<RunContext, 'agent' | 'settings'>, limit: number): Service {
  const { results, adminSocket } = run.settings;
  const variables = {
    ...agentVariables(run),
    [ENV.results]: results,
    [ENV.adminSocket]: adminSocket,
    [ENV.daemonSocket]: adminSocket,
    [ENV.gradingTimeout]: String(limit),
  };
  return new Service({
    name: 'evaluator',
    argv: programArgv('evaluator'),
    env: rootEnvironment(process.env, variables),
    logPath: join(results, 'evaluator.log'),
    held: true,
  });
}

import { ENV } from '@ssebench/contracts/layout';
import { DEFAULT_PATH } from './agent-environment.ts';

/** What root's processes get beside the variables below, whatever the images and the run say (design §7). */
const CONSTANT = { PATH: DEFAULT_PATH, HOME: '/root', USER: 'root', LOGNAME: 'root', LANG: 'C.UTF-8' } as const;

/** Variables that services read. Secrets and what the agent's image sets are not among them. */
const FOR_SERVICES: readonly string[] = [
  ENV.archive,
  ENV.results,
  ENV.difficulty,
  ENV.timeout,
  ENV.checkTimeout,
  ENV.gradingTimeout,
  ENV.adminSocket,
  ENV.hostSocket,
  ENV.taskDir,
  ENV.repo,
  ENV.agentUser,
  ENV.runnerUser,
  ENV.runnerDir,
  ENV.debug,
  ENV.capture,
  ENV.snapshotInterval,
];

/** The environment of a service: constant, the listed variables of the container, and `extra`. */
export function rootEnvironment(
  env: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = FOR_SERVICES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...CONSTANT, ...Object.fromEntries(passed), ...extra };
}

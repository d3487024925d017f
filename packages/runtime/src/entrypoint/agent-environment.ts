import { CONTAINER, ENV } from '@ssebench/contracts/layout';
import type { Account } from '../system/accounts.ts';
import { UsageError } from './command-line.ts';

/** The search path of a Debian login, for images that set none. */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Variables of the run that the agent gets, from the container's environment. Source: spec/runtime §14. */
const FOR_THE_AGENT: readonly string[] = [
  ENV.archive,
  ENV.difficulty,
  ENV.timeout,
  ENV.budget,
  ENV.daemonSocket,
  ENV.apiKey,
  ENV.baseUrl,
  ENV.modelName,
  'HOSTNAME',
];

/** Ours that are not the agent's: where root's things are, and limits that it has no use for. */
const NOT_FOR_THE_AGENT: ReadonlySet<string> = new Set(
  Object.values(ENV).filter((name) => !FOR_THE_AGENT.includes(name)),
);

/**
 * The agent's environment: the image's own (from `SSE_AGENT_ENV`; where that is not set, the container's without what is
 * ours), the run's variables, and the account's.
 * @throws UsageError when `SSE_AGENT_ENV` is not a JSON object of strings
 */
export function agentEnvironment(env: NodeJS.ProcessEnv, account: Account): Record<string, string> {
  const ofImage = env[ENV.agentEnv] === undefined ? withoutOurs(env) : parse(env[ENV.agentEnv] ?? '');
  const ofRun = FOR_THE_AGENT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...ofImage,
    // Ours is the last, so that nothing of the image's is hidden by it.
    PATH: `${ofImage['PATH'] || DEFAULT_PATH}:${CONTAINER.commands}`,
    ...Object.fromEntries(ofRun),
    HOME: account.home,
    USER: account.name,
    LOGNAME: account.name,
  };
}

function withoutOurs(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => !NOT_FOR_THE_AGENT.has(entry[0]) && entry[1] !== undefined,
  );
  return Object.fromEntries(kept);
}

function parse(text: string): Record<string, string> {
  const value = parseJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isObject
    ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : [];
  if (isObject && entries.length === Object.keys(value).length) return Object.fromEntries(entries);
  throw new UsageError(`${ENV.agentEnv} must be a JSON object of strings`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${ENV.agentEnv} must be JSON: ${(error as Error).message}`);
  }
}

import { readFileSync } from 'node:fs';
import { type Difficulty, parseDifficulty } from '@ssebench/contracts/difficulty';
import { AGENT_UID, AGENT_USER, CONTAINER, DEFAULTS, ENV, RUNNER_USER, SHARED_DIRS } from '@ssebench/contracts/layout';
import { PreparedImage } from '@ssebench/contracts/prepared-image';
import { type Account, lookUpAccount } from '../system/accounts.ts';
import { messageOf } from './daemon-error.ts';

/** Everything that the daemon's start depends on. Paths are absolute. */
export interface DaemonConfig {
  taskDir: string;
  /** The clean copy that grading applies the patch to. */
  repo: string;
  results: string;
  /** The agent's directory with `dialog.jsonl`. */
  archive: string;
  /** Bare repository that patches are measured against. */
  baseline: string;
  difficulty: Difficulty;
  listeners: ListenerConfig;
  /** Who the agent, its `bash` calls and the capture run as. */
  agent: Account;
  /** Who the task's scripts run as. */
  runner: Account;
  runnerDir: string;
  /** Root's own, for captures. */
  scratchDir: string;
  /** Where users can leave files for one another; the runner's are removed with its session. */
  sharedDirs: readonly string[];
  /** Where the agent's tree goes when the container is graded in, too. */
  keptTree: string;
  /** What is searched for the agent's traces then, and what of it is not. */
  searchRoot: string;
  notSearched: readonly string[];
  /** The case image's `ENV`. */
  scriptEnv: Readonly<Record<string, string>>;
  /** Limit of one script. */
  checkTimeoutMs: number;
  /** Whether the patch to grade stands in the results directory already. */
  patchIsGiven: boolean;
  /** Seconds between the first snapshots of the agent's patch; undefined: none are kept. */
  snapshotInterval: number | undefined;
}

/** The listeners that exist: those that are named. */
export interface ListenerConfig {
  agentSocket?: string | undefined;
  httpPort?: number | undefined;
  adminSocket?: string | undefined;
  hostSocket?: string | undefined;
}

/** A configuration that the daemon does not start with, and the exit status that says so. */
export class ConfigError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
    this.exitCode = exitCode;
  }
}

const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const SCRATCH_DIR = '/var/lib/ssebench-daemon';
/** The kernel's, and ours. */
const NOT_SEARCHED = ['/proc', '/sys', '/dev', CONTAINER.runtime, CONTAINER.hostMounts, CONTAINER.runner, SCRATCH_DIR];

/**
 * The configuration that the environment names.
 * @throws ConfigError with what to change; exit status 2 for a level that is none (spec/runtime §3.1)
 */
export function readConfig(env: NodeJS.ProcessEnv): DaemonConfig {
  const path = (name: string, fallback: string) => env[name] || fallback;
  const agent = agentAccount(env[ENV.agentUser] || AGENT_USER);
  const runner = runnerAccount(env[ENV.runnerUser] || RUNNER_USER);
  if (agent.uid === runner.uid) throw new ConfigError(`${agent.name} and ${runner.name} must not be the same user`);
  return {
    taskDir: path(ENV.taskDir, CONTAINER.task),
    repo: path(ENV.repo, CONTAINER.repo),
    results: path(ENV.results, CONTAINER.results),
    archive: path(ENV.archive, CONTAINER.archive),
    baseline: CONTAINER.baseline,
    difficulty: difficultyOf(env[ENV.difficulty]),
    listeners: {
      agentSocket: env[ENV.daemonSocket] || undefined,
      httpPort: env[ENV.httpPort] ? positiveInteger(ENV.httpPort, env[ENV.httpPort], 65_535) : undefined,
      adminSocket: env[ENV.adminSocket] || undefined,
      hostSocket: env[ENV.hostSocket] || undefined,
    },
    agent,
    runner,
    runnerDir: path(ENV.runnerDir, CONTAINER.runner),
    scratchDir: SCRATCH_DIR,
    sharedDirs: SHARED_DIRS,
    keptTree: CONTAINER.agentTree,
    searchRoot: '/',
    notSearched: [...NOT_SEARCHED, path(ENV.archive, CONTAINER.archive), path(ENV.taskDir, CONTAINER.task)],
    scriptEnv: { PATH: DEFAULT_PATH, ...preparedEnv(CONTAINER.prepared) },
    checkTimeoutMs: positiveInteger(ENV.checkTimeout, env[ENV.checkTimeout] ?? String(DEFAULTS.checkTimeout)) * 1000,
    patchIsGiven: env[ENV.capture] === 'given',
    snapshotInterval: env[ENV.snapshotInterval]
      ? positiveInteger(ENV.snapshotInterval, env[ENV.snapshotInterval])
      : undefined,
  };
}

function difficultyOf(value: string | undefined): Difficulty {
  try {
    return parseDifficulty(value);
  } catch (error) {
    throw new ConfigError(messageOf(error), 2, { cause: error });
  }
}

function positiveInteger(name: string, value: string | undefined, most = 2_000_000): number {
  const number = Number(value);
  if (value && /^\d+$/.test(value) && number >= 1 && number <= most) return number;
  throw new ConfigError(`${name} must be a whole number from 1 to ${most}, got ${JSON.stringify(value ?? '')}`);
}

/** An image without the account has nobody who could act as it, so the ids alone are enough. */
function agentAccount(name: string): Account {
  const home = `/home/${AGENT_USER}`;
  const account = lookUpAccount(name) ?? { name, uid: AGENT_UID, gid: AGENT_UID, home, shell: '/bin/bash' };
  if (account.uid === 0) throw new ConfigError(`user ${name} is root, which is never the agent`);
  return account;
}

function runnerAccount(name: string): Account {
  const account = lookUpAccount(name);
  if (!account) throw new ConfigError(`no user ${name} in /etc/passwd to run the task's scripts as: prepare the image`);
  if (account.uid === 0) throw new ConfigError(`user ${name} is root, which never runs the task's scripts`);
  return account;
}

/** The environment recorded when the image was prepared; none when the image was not. */
function preparedEnv(file: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return PreparedImage.parse(JSON.parse(text)).script_env;
  } catch (error) {
    throw new ConfigError(`${file} is not what image preparation writes: ${messageOf(error)}`, 1, { cause: error });
  }
}

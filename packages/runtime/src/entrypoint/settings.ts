import { CAPS } from '@ssebench/contracts/caps';
import { AGENT_UID, AGENT_USER, CONTAINER, DEFAULTS, ENV } from '@ssebench/contracts/layout';
import { agentRuntime } from '../evaluator/settings.ts';
import { type Account, lookUpAccount } from '../system/accounts.ts';
import { secondsOf } from '../system/seconds.ts';
import { agentEnvironment } from './agent-environment.ts';
import { type CommandLine, UsageError } from './command-line.ts';

/** Limits in force when the environment says nothing. Seconds. Source: spec/runtime §4.1; the archive's are ours. */
const DAEMON_TIMEOUT = 300;
const ARCHIVE_TIMEOUT = 120;

/** Everything that the entrypoint was told, checked. Limits in seconds. */
export interface Settings extends CommandLine {
  results: string;
  /** The agent's own directory; undefined only in `grade`. */
  archive: string | undefined;
  /** Who the agent runs as; the entrypoint's own user when that is not root. */
  account: Account;
  /** Whether we are root, and so can change users and owners. */
  root: boolean;
  cwd: string;
  /** The agent's whole environment. */
  agentEnv: Record<string, string>;
  adminSocket: string;
  agentSocket: string;
  /** Of the agent's HTTP listener. */
  httpPort: number;
  /** Where the model gateway listens; undefined in a run without a model. */
  modelSocket: string | undefined;
  modelPort: number;
  /** The agent's port for its tool, the socket that it leads to, and where long logs go. */
  mcpPort: number;
  mcpSocket: string;
  mcpLogDir: string;
  agentTimeout: number;
  /** Bytes that the container may write until the agent's end. */
  diskLimit: number | undefined;
  agentGrace: number;
  checkTimeout: number;
  /** Undefined: made from the check limit and the number of PoCs. */
  gradingTimeout: number | undefined;
  daemonTimeout: number;
  archiveTimeout: number;
  archiveMaxBytes: number;
  keepAlive: boolean;
  /** How the agent ended, where this container only grades: variables of the evaluator's. */
  agentVariables: Record<string, string>;
}

/**
 * Reads the environment. Source: spec/runtime §§4.1, 15.
 * @throws UsageError for a variable that is missing or wrong
 */
export function readSettings(commandLine: CommandLine, env: NodeJS.ProcessEnv): Settings {
  const root = process.getuid?.() === 0;
  const archive = env[ENV.archive] || undefined;
  if (!archive && commandLine.mode !== 'grade')
    throw new UsageError(`${ENV.archive} is not set: the agent's archive directory`);
  const account = accountOf(env[ENV.agentUser] ?? AGENT_USER, root);
  try {
    return {
      ...commandLine,
      results: env[ENV.results] || CONTAINER.results,
      archive,
      account,
      root,
      cwd: process.cwd(),
      agentEnv: agentEnvironment(env, account),
      adminSocket: env[ENV.adminSocket] || CONTAINER.adminSocket,
      agentSocket: env[ENV.daemonSocket] || CONTAINER.agentSocket,
      httpPort: portOf(env, ENV.httpPort) ?? CONTAINER.agentHttpPort,
      modelSocket: env[ENV.modelSocket] || undefined,
      modelPort: portOf(env, ENV.modelPort) ?? CONTAINER.modelPort,
      mcpPort: portOf(env, ENV.mcpPort) ?? CONTAINER.mcpPort,
      mcpSocket: env[ENV.mcpSocket] || CONTAINER.mcpSocket,
      mcpLogDir: env[ENV.mcpLogDir] || CONTAINER.mcpLogs,
      agentTimeout: secondsOf(env, ENV.timeout) ?? DEFAULTS.agentTimeout,
      diskLimit: bytesOf(env, ENV.diskLimit),
      agentGrace: secondsOf(env, ENV.agentGrace) ?? DEFAULTS.agentGrace,
      checkTimeout: secondsOf(env, ENV.checkTimeout) ?? DEFAULTS.checkTimeout,
      gradingTimeout: secondsOf(env, ENV.gradingTimeout),
      daemonTimeout: secondsOf(env, ENV.daemonTimeout) ?? DAEMON_TIMEOUT,
      archiveTimeout: secondsOf(env, ENV.archiveTimeout) ?? ARCHIVE_TIMEOUT,
      archiveMaxBytes: bytesOf(env, ENV.archiveMaxBytes) ?? CAPS.source_archive_bytes,
      keepAlive: env[ENV.keepAlive] === '1',
      agentVariables: commandLine.mode === 'grade' ? agentVariables(env) : {},
    };
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

/** The account; uid and gid 1000 where the image has none of that name. Source: spec/runtime §3.3. */
function accountOf(name: string, root: boolean): Account {
  const account = lookUpAccount(name) ?? {
    name,
    uid: AGENT_UID,
    gid: AGENT_UID,
    home: `/home/${name}`,
    shell: '/bin/bash',
  };
  if (root && account.uid === 0) throw new UsageError(`${ENV.agentUser}: the agent must not run as root`);
  return root
    ? account
    : { ...account, uid: process.getuid?.() ?? account.uid, gid: process.getgid?.() ?? account.gid };
}

/** @throws RangeError */
function agentVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  agentRuntime(env);
  const names = [ENV.agentDuration, ENV.agentExitStatus, ENV.agentTimedOut];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function portOf(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const value = env[name];
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,4}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new RangeError(`${name} must be a port from 1 to 65535, got ${JSON.stringify(value)}`);
}

function bytesOf(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const value = env[name];
  if (value === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new RangeError(`${name} must be a number of bytes, got ${JSON.stringify(value)}`);
}

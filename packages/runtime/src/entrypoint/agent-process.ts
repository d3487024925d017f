import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Account } from '../system/accounts.ts';
import { expendable } from '../system/expendable.ts';
import { signalGroup, within } from '../system/waiting.ts';
import { log } from './log.ts';
import type { CappedLog } from './log-file.ts';

/** Of a run that was stopped at its limit. Source: spec/runtime §4.4. */
export const TIMED_OUT_STATUS = 124;

/** How long a killed process may take to be gone, and its output to end. Milliseconds. */
const KILLED_MS = 5_000;
const OUTPUT_MS = 300;

export interface AgentOptions {
  command: readonly string[];
  account: Account;
  /** Whether to change to the account's user. */
  root: boolean;
  env: Readonly<Record<string, string>>;
  cwd: string;
  output: CappedLog;
  limitMs: number;
  /** From SIGTERM to SIGKILL at the limit. */
  graceMs: number;
  /** Ends the agent when it aborts, with a grace of at most `stopGraceMs`. */
  stop: AbortSignal;
  stopGraceMs: number;
}

export interface AgentEnd {
  /** 124 when the limit ended it; 128 and the signal's number when a signal did; 1 when it could not be ended. */
  exitCode: number;
  timedOut: boolean;
  durationMs: number;
}

/** The agent's command could not be executed; `code` is the system's, such as ENOENT or EACCES. */
export class AgentNotStarted extends Error {
  override name = 'AgentNotStarted';
}

/**
 * Runs the agent's command in a session of its own and waits for it: no longer than its limit, its grace and a few seconds.
 * The list is executed as it is, without a shell; nothing on standard input; what it writes goes to `output` as it comes.
 * Only the process group is signalled here: what left it ends with the phase.
 * @throws AgentNotStarted
 */
export async function runAgent(options: AgentOptions): Promise<AgentEnd> {
  const start = performance.now();
  const child = await startAgent(options);
  log('INFO', 'Agent started', { pid: child.pid ?? null });
  const exited = once(child, 'exit') as Promise<Exit>;
  const closed = once(child, 'close');
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => options.output.write(chunk));

  const ended = Promise.withResolvers<Exit | undefined>();
  let timedOut = false;
  const stop = (graceMs: number) => endGroup(child, exited, graceMs).then(ended.resolve, ended.reject);
  const limit = setTimeout(() => {
    timedOut = true;
    void stop(options.graceMs);
  }, options.limitMs);
  const onStop = () => void stop(options.stopGraceMs);
  options.stop.addEventListener('abort', onStop, { once: true });
  if (options.stop.aborted) onStop();
  try {
    const exit = await Promise.race([exited, ended.promise]);
    const durationMs = performance.now() - start;
    return { exitCode: timedOut ? TIMED_OUT_STATUS : statusOf(exit), timedOut, durationMs };
  } finally {
    clearTimeout(limit);
    options.stop.removeEventListener('abort', onStop);
    if ((await within(closed, OUTPUT_MS)) === undefined) for (const stream of child.stdio) stream?.destroy();
  }
}

type Exit = [code: number | null, signal: NodeJS.Signals | null];

async function startAgent({ command, account, root, env, cwd }: AgentOptions): Promise<ChildProcess> {
  const [file = '', ...args] = command;
  try {
    const child = expendable(() =>
      spawn(file, args, {
        cwd,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(root ? { uid: account.uid, gid: account.gid } : {}),
      }),
    );
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw new AgentNotStarted((error as Error).message, { cause: error });
  }
}

/** SIGTERM to the group, and SIGKILL when the agent has not ended within the grace. Undefined when even that left it there. */
async function endGroup(child: ChildProcess, exited: Promise<Exit>, graceMs: number): Promise<Exit | undefined> {
  signalGroup(child.pid, 'SIGTERM');
  const exit = await within(exited, graceMs);
  signalGroup(child.pid, 'SIGKILL');
  return exit ?? within(exited, KILLED_MS);
}

function statusOf(exit: Exit | undefined): number {
  if (!exit) return 1;
  const [code, signal] = exit;
  return code ?? (signal ? 128 + constants.signals[signal] : 1);
}

import { BashArgument, type ScriptResult } from '@ssebench/contracts/daemon-api';
import type { Account } from '../../system/accounts.ts';
import { parseArgument } from '../arguments.ts';
import { SerialQueue } from '../serial-queue.ts';
import { runShell, type ShellEnd } from './shell.ts';
import { entering, restoring } from './wrapper.ts';

interface BashOptions {
  account: Account;
  /** Where the first call starts. */
  directory: string;
  /** The case image's `ENV`. */
  scriptEnv: Readonly<Record<string, string>>;
}

const DEFAULT_TIMEOUT_S = 120;

/**
 * The agent's shell: a new bash for each call, which finds the directory and the exported variables that the last call
 * left. Calls run one after another, and none waits for a check. What a call leaves running in the background goes on,
 * unless the call reached its time limit.
 */
export class BashTool {
  readonly #options: BashOptions;
  readonly #queue = new SerialQueue();
  readonly #start: Buffer;
  #state: Buffer;

  constructor(options: BashOptions) {
    this.#options = options;
    this.#start = entering(Buffer.from(options.directory));
    this.#state = this.#start;
  }

  /**
   * Runs a command. Its failure is a result.
   * @throws DaemonError when no shell can be started; the signal's reason when it is aborted
   */
  async run(body: unknown, signal: AbortSignal): Promise<ScriptResult> {
    const { command, timeout = DEFAULT_TIMEOUT_S, restart = false } = parseArgument(BashArgument, body);
    return await this.#queue.run(async () => {
      if (restart) this.#state = this.#start;
      const end = await runShell({
        command: Buffer.from(command.replaceAll('\0', '')),
        state: this.#state,
        account: this.#options.account,
        env: this.#environment(),
        timeoutMs: timeout * 1000,
        signal,
      });
      signal.throwIfAborted();
      this.#state = restoring(end.left) ?? this.#state;
      return resultOf(end);
    }, signal);
  }

  #environment(): Record<string, string> {
    const { account, scriptEnv } = this.#options;
    return { ...scriptEnv, HOME: account.home, USER: account.name, LOGNAME: account.name, SHELL: '/bin/bash' };
  }
}

function resultOf({ code, timedOut, stdout, stderr, durationMs }: ShellEnd): ScriptResult {
  return {
    code: code ?? -1,
    stdout: stdout.toText(),
    stderr: stderr.toText(),
    outcome: timedOut ? 'timed_out' : code === null ? 'signalled' : 'exited',
    truncated: stdout.truncated || stderr.truncated,
    stdout_bytes: stdout.bytes,
    stderr_bytes: stderr.bytes,
    duration_ms: Math.round(durationMs),
    build: null,
    log: null,
  };
}

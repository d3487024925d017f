import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isNearlyFull } from '../../capture/apply-patch.ts';
import { type GitPlace, startGit } from '../../capture/git.ts';
import type { Account } from '../../system/accounts.ts';
import { type CommandOptions, type CommandResult, runCommand } from '../../system/run-command.ts';
import { logFileContent, writeLogFile } from '../bencher/log-files.ts';
import { Budget } from '../budget.ts';
import { DaemonError } from '../daemon-error.ts';
import { log } from '../log.ts';
import { runnerEnvironment } from './environment.ts';
import type { RunnerArea } from './runner-area.ts';
import type { SharedFiles } from './shared-files.ts';

const APPLY_TIMEOUT_MS = 120_000;

/** Most that the log files of the agent's checks take in the results directory, which lies on the host. */
const AGENT_LOGS_BYTES = 256 * 1024 * 1024;

/** Who a check is for, and what ends it. */
export interface CheckContext {
  grading: boolean;
  signal: AbortSignal;
}

/** How a script ended, and the name of its log file in the results directory; null when the agent's checks have filled theirs. */
export interface ScriptRun {
  result: CommandResult;
  log: string | null;
}

export interface ScriptRunnerOptions {
  area: RunnerArea;
  shared: SharedFiles;
  scriptEnv: Readonly<Record<string, string>>;
  /** Limit of one script. */
  timeoutMs: number;
  /** An empty repository that the runner can read and not write; its rule keeps git from converting anything. */
  plainRepository: string;
  /** Where the log files go. */
  results: string;
}

/**
 * Runs the task's scripts, and git, as the runner. When a command has ended, no process of the runner is left.
 */
export class ScriptRunner {
  readonly #options: ScriptRunnerOptions;
  readonly #agentLogs = new Budget(AGENT_LOGS_BYTES);

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
  }

  /**
   * Runs a script with the runner's environment. Before that, the runner's share of the task is as it was at the start.
   * @throws DaemonError `script_not_executable`, `runner_unavailable`; the signal's reason when it is aborted
   */
  async script(argv: CommandOptions['argv'], cwd: string, check: CheckContext): Promise<ScriptRun> {
    const { area, shared, scriptEnv } = this.#options;
    const restored = await shared.restore();
    if (restored.length > 0) log('warn', "The runner's share of the task had changed and was restored", { restored });
    requireExecutable(argv[0]);
    const env = runnerEnvironment(scriptEnv, area.account, area.home);
    const result = await this.#run({ argv, cwd, env, signal: check.signal });
    if (result.notStarted) throw notExecutable(argv[0], result.notStarted.code);
    return await this.#logged('scriptrunner', argv, result, check);
  }

  /**
   * Applies a diff of root's to the tree `src`, byte for byte, as the runner, which never finds it in a file. `output` is git's when
   * it does not apply; the tree may have a part of it then.
   * @throws DaemonError `runner_unavailable`; the signal's reason when it is aborted
   */
  async applyDiff(file: string, src: string, check: CheckContext): Promise<{ applied: boolean; output: string }> {
    const diff = await readFile(file);
    const checked = await this.#gitApply(['--check'], diff, src, check.signal);
    const result = checked.code === 0 ? await this.#gitApply([], diff, src, check.signal) : checked;
    await this.#logged('patch', ['git', 'apply', '-p1', file], result, check);
    const output = `${result.stdout.toText()}, ${result.stderr.toText()}`;
    // That the check passed proves nothing: where a directory is in the way, only applying finds out.
    if (result.code === null || (result.code !== 0 && isNearlyFull(src))) {
      const why = result.notStarted?.code ?? (result.timedOut ? 'time limit' : (result.signal ?? output));
      throw new DaemonError('runner_unavailable', `git could not apply the hidden tests: ${why}`);
    }
    return { applied: result.code === 0, output };
  }

  async #gitApply(options: readonly string[], stdin: Buffer, src: string, signal: AbortSignal): Promise<CommandResult> {
    signal.throwIfAborted();
    const { area, plainRepository } = this.#options;
    const { uid, gid } = area.account;
    const place: GitPlace = { gitDir: plainRepository, workTree: src, home: area.home, uid, gid };
    const args = ['apply', '-p1', '--whitespace=nowarn', ...options, '-'];
    return await startGit(place, args, { stdin, timeoutMs: APPLY_TIMEOUT_MS, capBytes: 64 * 1024, signal });
  }

  async #run(options: Omit<CommandOptions, 'timeoutMs'>): Promise<CommandResult> {
    options.signal?.throwIfAborted();
    const { area, timeoutMs } = this.#options;
    const { uid, gid }: Account = area.account;
    return await runCommand({ ...options, uid, gid, timeoutMs, afterExit: () => area.endProcesses() });
  }

  async #logged(
    kind: 'scriptrunner' | 'patch',
    command: readonly string[],
    result: CommandResult,
    { grading, signal }: CheckContext,
  ): Promise<ScriptRun> {
    const content = logFileContent(command, result);
    const isKept = grading || this.#agentLogs.take(content.length);
    const file = isKept ? await writeLogFile(this.#options.results, kind, result.startedAt, content) : null;
    signal.throwIfAborted();
    return { result, log: file };
  }
}

function requireExecutable(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) throw notExecutable(path, 'ENOENT');
  if (!(stats.mode & 0o100)) throw notExecutable(path, 'EACCES');
}

const REMEDIES: Record<string, string> = {
  EACCES: "make it executable in the task's Dockerfile: RUN chmod +x /ssebench/scripts/*.sh",
  ENOENT: 'the file or the interpreter of its first line is not in the image',
  ENOEXEC: 'give it a first line such as #!/bin/bash',
};

/** A script that the system does not start; a system without room for one more process is another matter. */
function notExecutable(path: string, code: string): DaemonError {
  if (['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'].includes(code)) {
    return new DaemonError('runner_unavailable', `${path} can't be started: ${code}`);
  }
  const remedy = REMEDIES[code];
  return new DaemonError('script_not_executable', `${path} can't be executed: ${code}${remedy ? `: ${remedy}` : ''}`);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CappedOutput, type Captured, OUTPUT_CAP_BYTES } from './capped-output.ts';
import { expendable } from './expendable.ts';

/** How long output may still come after the command ended and its process group was killed, and how long a killed one may take to end. */
const OUTPUT_GRACE_MS = 2_000;
const END_GRACE_MS = 10_000;

export interface CommandOptions {
  /** Program and arguments; no shell in between. */
  argv: readonly [string, ...string[]];
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** Given together: the command runs as this user and group, without supplementary groups, and is `expendable`. */
  uid?: number | undefined;
  gid?: number | undefined;
  /** At this limit the process group is killed. */
  timeoutMs: number;
  /** Most bytes kept of each of stdout and stderr. Default {@link OUTPUT_CAP_BYTES}. */
  capBytes?: number;
  /** Default: `/dev/null`. */
  stdin?: Uint8Array | Readable;
  /** Takes stdout's bytes in place of capture. When it fails or is destroyed, the command is killed. */
  stdoutTo?: Writable;
  /** The command's standard output itself, in place of capture: an open file. */
  stdoutFd?: number;
  /** Called with the command's pid, which is its process group too. */
  onSpawn?(pid: number): void;
  /** Awaited when the command has ended and its group was killed, before the rest of the output is collected. */
  afterExit?(): Promise<void>;
  /** Kills the command when aborted. */
  signal?: AbortSignal;
}

export interface CommandResult {
  /** Exit status; null when a signal ended it, or when it never started. */
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Ended by us at its time limit. */
  timedOut: boolean;
  /** Ended by us because `options.signal` was aborted. */
  aborted: boolean;
  /** The command could not be executed: the system's error code, such as ENOENT, EACCES, EAGAIN. */
  notStarted?: { code: string };
  /** Why `stdoutTo` took no more. */
  sinkError?: Error;
  stdout: Captured;
  stderr: Captured;
  durationMs: number;
  startedAt: Date;
}

/**
 * Runs one command in a process group of its own and waits for it: never longer than its limit and the two graces above.
 * The group is killed at the limit and when the command itself has ended, so what it left in the background is gone;
 * output that strays keep open is cut off. How it ended is a value: nothing is thrown for a command that fails.
 * @throws what `stdin` or `afterExit` throws
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const stdout = new CappedOutput(options.capBytes ?? OUTPUT_CAP_BYTES);
  const stderr = new CappedOutput(options.capBytes ?? OUTPUT_CAP_BYTES);
  const startedAt = new Date();
  const start = performance.now();
  const result: CommandResult = {
    code: null,
    signal: null,
    timedOut: false,
    aborted: false,
    stdout: stdout.finish(),
    stderr: stderr.finish(),
    durationMs: 0,
    startedAt,
  };
  const child = await startChild(options);
  if ('notStarted' in child) return { ...result, notStarted: child.notStarted, durationMs: performance.now() - start };

  const exited = once(child, 'exit');
  const closed = once(child, 'close');
  const pid = child.pid as number;
  const end = Promise.withResolvers<void>();
  let over = false;
  let cut = false;
  let inputError: Error | undefined;
  const stop = (reason: 'timedOut' | 'aborted' | 'sink') => {
    if (over) return;
    if (reason !== 'sink' && !result.timedOut && !result.aborted) result[reason] = true;
    kill(-pid);
    kill(pid);
    setTimeout(end.resolve, END_GRACE_MS).unref();
  };
  const limit = setTimeout(() => stop('timedOut'), options.timeoutMs);
  const onAbort = () => stop('aborted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();

  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  const sunk = collectStdout(child, options, stdout).catch((error: Error) => {
    if (cut) return;
    result.sinkError = error;
    stop('sink');
  });
  const fed = feed(child, options.stdin).catch((error: Error) => {
    inputError = error;
  });
  options.onSpawn?.(pid);
  try {
    const how = await Promise.race([exited, end.promise]);
    if (how) [result.code, result.signal] = how as [number | null, NodeJS.Signals | null];
  } finally {
    over = true;
    clearTimeout(limit);
    options.signal?.removeEventListener('abort', onAbort);
  }
  kill(-pid);
  try {
    await options.afterExit?.();
  } finally {
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, OUTPUT_GRACE_MS);
    await Promise.race([Promise.all([closed, sunk]), grace.promise]);
    clearTimeout(timer);
    cut = true;
    for (const stream of child.stdio) stream?.destroy();
    await Promise.all([sunk, fed]);
  }
  if (inputError) throw inputError;
  result.stdout = stdout.finish();
  result.stderr = stderr.finish();
  result.durationMs = performance.now() - start;
  return result;
}

async function startChild(options: CommandOptions): Promise<ChildProcess | { notStarted: { code: string } }> {
  const [file, ...args] = options.argv;
  try {
    const start = () =>
      spawn(file, args, {
        cwd: options.cwd,
        env: options.env,
        detached: true,
        stdio: [options.stdin ? 'pipe' : 'ignore', options.stdoutFd ?? 'pipe', 'pipe'],
        ...(options.uid === undefined ? {} : { uid: options.uid }),
        ...(options.gid === undefined ? {} : { gid: options.gid }),
      });
    const child = options.uid === undefined ? start() : expendable(start);
    if (child.pid === undefined) await once(child, 'spawn');
    return child;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return { notStarted: { code } };
  }
}

async function collectStdout(child: ChildProcess, options: CommandOptions, stdout: CappedOutput): Promise<void> {
  if (!child.stdout) return;
  if (options.stdoutTo) await pipeline(child.stdout, options.stdoutTo);
  else child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
}

/** Writes the input; a command that does not read it to its end is not an error. */
async function feed(child: ChildProcess, stdin: CommandOptions['stdin']): Promise<void> {
  if (!child.stdin || !stdin) return;
  const source = stdin instanceof Readable ? stdin : Readable.from([stdin]);
  await pipeline(source, child.stdin).catch((error: NodeJS.ErrnoException) => {
    if (!['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(error.code ?? ''))
      throw error;
  });
}

/** SIGKILL to a process or, negative, to a group; nothing when it is gone. */
function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

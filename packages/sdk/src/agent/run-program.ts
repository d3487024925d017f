import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTAINER, DEFAULTS, ENV } from '@ssebench/contracts/layout';
import { LineSplitter } from './line-splitter.ts';
import { RawOutput } from './raw-output.ts';

/** Longest that outputs are waited for once the program has ended: what it started may hold them open. Milliseconds. */
const OUTPUT_MS = 2_000;

export interface ProgramOptions {
  /** An argument list, executed without a shell. */
  command: readonly [string, ...string[]];
  /** Beside what this process has; undefined takes a variable away. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: this process's, which is the source tree. */
  cwd?: string;
  /** All of its standard input; default: nothing. */
  stdin?: string | undefined;
  /** Gets each line of its standard output, without its end, as it comes. What it throws is told on standard error, and the next line follows. */
  onLine: (line: string) => void;
  /** Which lines of its standard output are worth keeping raw; default: all of it, byte for byte. */
  keep?: (line: string) => boolean;
  /** Where raw output is kept, as `<name>.stdout` and `<name>.stderr`; default: `SSE_ARCHIVE` and the command's base name. */
  archive?: string;
  name?: string;
  /** From SIGTERM to SIGKILL; default: half of what this process itself has, so that it can still close its dialog. Milliseconds. */
  graceMs?: number;
}

export interface ProgramEnd {
  /** Its exit status; null when a signal ended it. */
  status: number | null;
  signal: NodeJS.Signals | null;
  /** Whether this process was asked to stop meanwhile (SIGTERM, SIGINT): the run's limit, or its user. */
  stopped: boolean;
  /** The end of its standard error, at most 4 KiB, for a message about what went wrong. */
  lastWords: string;
}

/**
 * Runs an agent's program to its end. Its standard output goes line by line to `onLine`; standard error goes on to ours; both
 * are kept in the archive, up to 64 MiB each, as far as there is room. When this process is asked to stop, the program is, and
 * after the grace it is killed, with what it started: the promise resolves all the same, so that the dialog can be completed.
 * A line longer than 16 MiB is cut: one that is broken or endless costs itself alone.
 * @throws the system's error when the program can't be started (`ENOENT`, `EACCES`)
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { command, cwd, stdin, keep, graceMs = defaultGrace() } = options;
  const [file, ...args] = command;
  const base = join(
    options.archive ?? (process.env[ENV.archive] || CONTAINER.archive),
    options.name ?? file.replace(/^.*\//, ''),
  );
  // A session of its own, so that what it started can be ended with it, and that a signal reaches it once.
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  await Promise.race([once(child, 'spawn'), exited]);
  const closed = once(child, 'close');
  child.stdin?.on('error', ignoreClosed);
  child.stdin?.end(stdin);

  const output = new RawOutput(`${base}.stdout`);
  const words = new RawOutput(`${base}.stderr`);
  const lines = new LineSplitter((line) => {
    if (keep?.(line)) output.write(Buffer.from(`${line}\n`));
    guarded(options.onLine, line);
  });
  let lastWords = Buffer.alloc(0);
  child.stdout?.on('data', (chunk: Buffer) => {
    if (keep === undefined) output.write(chunk);
    lines.write(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    words.write(chunk);
    process.stderr.write(chunk);
    lastWords = Buffer.concat([lastWords, chunk]).subarray(-LAST_WORDS_BYTES);
  });

  let stopped = false;
  const stop = () => {
    if (stopped) return;
    stopped = true;
    void endProgram(child, exited, graceMs);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  try {
    const [status, signal] = await exited;
    await Promise.race([closed, delay(OUTPUT_MS, undefined, { ref: false })]);
    return { status, signal, stopped, lastWords: lastWords.toString('utf8') };
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    lines.end();
    output.close();
    words.close();
  }
}

/** What a wrapper exits with, so that its program's end is the agent's: 128 and the number for a signal, as shells do. */
export function exitStatus({ status, signal }: Pick<ProgramEnd, 'status' | 'signal'>): number {
  if (status !== null) return status;
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const LAST_WORDS_BYTES = 4096;

function defaultGrace(): number {
  return (Number(process.env[ENV.agentGrace]) || DEFAULTS.agentGrace) * 500;
}

async function endProgram(child: ChildProcess, exited: Promise<unknown>, graceMs: number): Promise<void> {
  child.kill('SIGTERM');
  const ended = exited.then(() => true);
  if (await Promise.race([ended, delay(graceMs, false, { ref: false })])) return;
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function guarded(onLine: (line: string) => void, line: string): void {
  try {
    onLine(line);
  } catch (error) {
    process.stderr.write(`a line of the program was not understood: ${(error as Error).message}\n`);
  }
}

/** A program need not read its input to the end. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
}

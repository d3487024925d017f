import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import type { Account } from '../../system/accounts.ts';
import { CappedOutput, type Captured } from '../../system/capped-output.ts';
import { expendable } from '../../system/expendable.ts';
import { DaemonError } from '../daemon-error.ts';
import { WRAPPER } from './wrapper.ts';

/** Most bytes of a shell's state. A larger one is not kept. */
const STATE_CAP_BYTES = 1024 * 1024;
/** How long the output of what a shell left in the background is waited for after its exit. */
const OUTPUT_GRACE_MS = 250;
/** How long a killed shell may take to end. */
const END_GRACE_MS = 10_000;

interface ShellOptions {
  command: Buffer;
  /** What is evaluated first. */
  state: Buffer;
  account: Account;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface ShellEnd {
  /** Exit status; null when a signal ended the shell. */
  code: number | null;
  timedOut: boolean;
  stdout: Captured;
  stderr: Captured;
  /** What the wrapper left on descriptor 3; empty when the shell was replaced or killed. */
  left: Buffer;
  durationMs: number;
}

/**
 * Runs one command in a bash of its own, as `account`, in a process group of its own, which is killed at the time limit
 * and when `signal` aborts. What goes on in the background afterwards keeps its descriptors; nobody reads what it writes.
 * @throws DaemonError `internal` when bash can't be started or ended
 */
export async function runShell(options: ShellOptions): Promise<ShellEnd> {
  const start = performance.now();
  const child = await startShell(options);
  const [, out, err, control] = child.stdio as unknown as [null, Readable, Readable, Duplex];
  const stdout = collect(out);
  const stderr = collect(err);
  const left = collect(control);
  control.on('error', () => control.destroy());
  control.write(Buffer.concat([options.state, Buffer.of(0), options.command, Buffer.of(0)]));

  let timedOut = false;
  const overdue = Promise.withResolvers<never>();
  let lastWait: NodeJS.Timeout | undefined;
  const kill = () => {
    killGroup(child.pid as number);
    lastWait ??= setTimeout(() => overdue.reject(new DaemonError('internal', 'bash could not be ended')), END_GRACE_MS);
  };
  const limit = setTimeout(() => {
    timedOut = true;
    kill();
  }, options.timeoutMs);
  options.signal.addEventListener('abort', kill, { once: true });
  if (options.signal.aborted) kill();
  try {
    const [code] = (await Promise.race([once(child, 'exit'), overdue.promise])) as [number | null];
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, OUTPUT_GRACE_MS);
    await Promise.race([Promise.all([stdout.ended, stderr.ended, left.ended]), grace.promise]);
    clearTimeout(timer);
    return {
      code,
      timedOut,
      stdout: stdout.finish(),
      stderr: stderr.finish(),
      left: stateOf(left.finish()),
      durationMs: performance.now() - start,
    };
  } finally {
    clearTimeout(limit);
    clearTimeout(lastWait);
    options.signal.removeEventListener('abort', kill);
    control.destroy();
  }
}

async function startShell({ account, env }: ShellOptions): Promise<ChildProcess> {
  try {
    const child = expendable(() =>
      spawn('/bin/bash', ['--noprofile', '--norc', '-c', WRAPPER, 'bash'], {
        cwd: '/',
        env,
        uid: account.uid,
        gid: account.gid,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      }),
    );
    if (child.pid === undefined) await once(child, 'spawn');
    return child;
  } catch (error) {
    throw new DaemonError('internal', `bash can't be started: ${String(error)}`, { cause: error });
  }
}

interface Collected {
  ended: Promise<void>;
  /** What came until now. What comes later is read and dropped, so that a writer in the background does not fail. */
  finish(): Captured;
}

function collect(stream: Readable): Collected {
  const output = new CappedOutput(STATE_CAP_BYTES);
  const push = (chunk: Buffer) => output.push(chunk);
  stream.on('data', push);
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once('close', resolve);
  return {
    ended: promise,
    finish() {
      stream.off('data', push);
      stream.resume();
      return output.finish();
    },
  };
}

function stateOf(left: Captured): Buffer {
  return left.truncated ? Buffer.alloc(0) : left.toBuffer();
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

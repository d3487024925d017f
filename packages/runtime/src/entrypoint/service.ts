import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import { ENV } from '@ssebench/contracts/layout';
import { expendable } from '../system/expendable.ts';
import { signalGroup, within } from '../system/waiting.ts';
import { log } from './log.ts';
import { openLog } from './log-file.ts';

export interface ServiceOptions {
  name: string;
  argv: readonly [string, ...string[]];
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** Standard output and error are appended to it. */
  logPath: string;
  /** Started early: it loads, and waits for `begin`. */
  held?: boolean;
  /** Runs it as this user and group instead of root's; then the kernel ends it before ours when the memory is used up. */
  user?: number | undefined;
}

export interface ProcessEnd {
  /** Exit status; null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that we start, in a session of its own. */
export class Service {
  readonly name: string;
  readonly logPath: string;
  /** Resolves when the process has ended; also when it could not be started. */
  readonly ended: Promise<ProcessEnd>;
  /** Resolves true when the service said that it is ready, false when it can't say so any more. */
  readonly ready: Promise<boolean>;
  readonly #child: ChildProcess;
  #running = true;

  constructor({ name, argv: [file, ...args], env, logPath, held = false, user }: ServiceOptions) {
    this.name = name;
    this.logPath = logPath;
    const fd = openLog(logPath);
    try {
      const start = () =>
        spawn(file, args, {
          cwd: '/',
          env: { ...env, [ENV.readyFd]: '3', ...(held && { [ENV.beginFd]: '4' }) },
          detached: true,
          stdio: ['ignore', fd, fd, 'pipe', ...(held ? (['pipe'] as const) : [])],
          ...(user === undefined ? {} : { uid: user, gid: user }),
        });
      this.#child = user === undefined ? start() : expendable(start);
    } finally {
      closeSync(fd);
    }
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        this.#running = false;
        resolve({ code, signal });
      };
      this.#child.once('exit', end);
      this.#child.once('error', (error) => {
        log('ERROR', 'A service could not be started', { name, error: error.message });
        end(null, null);
      });
    });
    this.ready = saysReady(this.#child.stdio[3] as Readable);
    log('INFO', 'Service started', { name, pid: this.#child.pid ?? null });
  }

  /** Lets one that is held begin. One that has ended is found by its end. */
  begin(): void {
    const pipe = this.#child.stdio[4];
    if (!(pipe instanceof Writable)) return;
    pipe.on('error', (error) => log('WARN', 'A service can not be told to begin', { error: String(error) }));
    pipe.end('begin\n');
  }

  get running(): boolean {
    return this.#running;
  }

  /** Asks the service to end, and kills its group when it has not within `graceMs`. Bounded; returns when it is gone. */
  async stop(graceMs: number): Promise<void> {
    if (this.#running) signalGroup(this.#child.pid, 'SIGTERM');
    const gone = await within(this.ended, graceMs);
    signalGroup(this.#child.pid, 'SIGKILL');
    if (gone === undefined && (await within(this.ended, 2_000)) === undefined) {
      log('WARN', 'A service could not be ended', { name: this.name });
    }
  }
}

/** Any byte on the stream means ready; its end without one means that nothing will come. */
async function saysReady(stream: Readable): Promise<boolean> {
  try {
    for await (const _ of stream) return true;
  } catch (error) {
    log('WARN', 'A service closed its readiness pipe', { error: String(error) });
  }
  return false;
}

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { GatewayStatus } from '@ssebench/contracts/gateway-api';
import { AdminClient, GatewayNotRunning } from './admin-client.ts';
import { GatewayError } from './model-gateway.ts';

/** A gateway that has not answered by then does not start. Milliseconds. */
const START_LIMIT = 15_000;
const STOP_LIMIT = 15_000;
const LOOK_INTERVAL = 10;
/** Between two looks at one that was to be kept and ended. Milliseconds. */
const KEEP_INTERVAL = 100;
/** Longest path that a Unix socket can have on Linux. */
const MAX_SOCKET_PATH = 107;
const LOG = 'gateway.log';

/** The embedded gateway of one workspace: a process that outlives the command that started it. */
export interface GatewayPlace {
  /** Absolute: the ledger, the log and the admin socket. */
  stateDir: string;
  modelsDir: string;
  envFile: string;
}

/** @throws GatewayError when the directory's path is too long for a socket */
export function gatewayPlace(workspace: string, env: NodeJS.ProcessEnv = process.env): GatewayPlace {
  const state = env['XDG_STATE_HOME']?.trim() || join(homedir(), '.local/state');
  const mark = createHash('sha256').update(workspace).digest('hex').slice(0, 8);
  const stateDir = join(state, 'ssebench', `gateway-${mark}`);
  if (Buffer.byteLength(adminSocket(stateDir)) > MAX_SOCKET_PATH)
    throw new GatewayError(`${stateDir} is too long a path for a socket; set XDG_STATE_HOME to a shorter directory`);
  return { stateDir, modelsDir: join(workspace, 'models'), envFile: join(workspace, '.env') };
}

/** Its admin socket, whether or not a process serves it. */
export function adminOf({ stateDir }: GatewayPlace): AdminClient {
  return new AdminClient(adminSocket(stateDir));
}

/**
 * The admin socket of a gateway that runs, started when there is none. One that was started from other sources is replaced
 * when no run needs it.
 * @throws GatewayError
 */
export async function startGateway(place: GatewayPlace): Promise<{ admin: AdminClient; status: GatewayStatus }> {
  const admin = adminOf(place);
  let running = await statusOf(admin);
  if (running && running.build !== build() && running.runs.length + running.forwards.length === 0) {
    await stopGateway(place);
    running = undefined;
  }
  const status = running ?? (await launch(place, admin));
  return { admin, status };
}

/** Ends it and waits for its end. Its keys stay good for the next process. False when none ran. @throws GatewayError */
export async function stopGateway(place: GatewayPlace): Promise<boolean> {
  const admin = adminOf(place);
  try {
    await admin.shutDown();
  } catch (error) {
    if (error instanceof GatewayNotRunning) return false;
    throw error;
  }
  const last = performance.now() + STOP_LIMIT;
  while (await answers(admin)) {
    if (performance.now() > last) throw new GatewayError('the gateway did not end');
    await delay(LOOK_INTERVAL);
  }
  return true;
}

/** Starts it again whenever it ends, until `signal` fires. One that does not start is tried again: its runs say so in the end. */
export async function keepGateway(place: GatewayPlace, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await startGateway(place);
      await connectionEnd(adminSocket(place.stateDir), signal);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
    await delay(KEEP_INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}

/** Resolves when a connection to the socket ends, as it does with the process behind it. */
function connectionEnd(path: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.unref();
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    if (signal.aborted) stop();
  });
}

/** One that is just ending may break off what it was asked. */
async function answers(admin: AdminClient): Promise<boolean> {
  try {
    return (await statusOf(admin)) !== undefined;
  } catch (error) {
    if (error instanceof GatewayError) return true;
    throw error;
  }
}

/** Undefined when nobody listens. @throws GatewayError */
export async function statusOf(admin: AdminClient): Promise<GatewayStatus | undefined> {
  try {
    return await admin.status();
  } catch (error) {
    if (error instanceof GatewayNotRunning) return undefined;
    throw error;
  }
}

/** Several commands may launch one at the same moment: all but one of the processes end, and the one serves all. */
async function launch(place: GatewayPlace, admin: AdminClient): Promise<GatewayStatus> {
  const { stateDir, modelsDir, envFile } = place;
  const log = openLog(stateDir);
  const args = ['--state-dir', stateDir, '--models', modelsDir, '--env', envFile, '--build', build()];
  const child = spawn(process.execPath, [...NODE_FLAGS, program(), ...args], {
    cwd: '/',
    env: { ...process.env, ...MALLOC },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  const last = performance.now() + START_LIMIT;
  for (;;) {
    const status = await statusOf(admin);
    if (status) return status;
    if (performance.now() > last) throw new GatewayError(`the gateway did not start: ${lastWords(stateDir)}`);
    // Another one may just have begun to serve.
    if (ended) {
      await delay(10 * LOOK_INTERVAL);
      const other = await statusOf(admin);
      if (other) return other;
      throw new GatewayError(`the gateway did not start: ${lastWords(stateDir)}`);
    }
    await delay(LOOK_INTERVAL);
  }
}

/**
 * What a request leaves behind is mostly buffers outside the heap, which only a collection gives back: it begins early and
 * grows slowly, else the process takes twice the 150 MB that are enough. None of these is a limit on what it may need. The little
 * that outlives a young collection is not worth the threads that would be woken up for it, and such a collection begins when its
 * space is full, not at four fifths. Maglev compiles sooner what is compiled for good soon after; what its compilations took stays
 * with the process, 25 MB.
 */
const NODE_FLAGS = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=4',
  '--no-maglev',
  '--no-parallel-scavenge',
  '--no-minor-gc-task',
  '--expose-gc',
  '--initial-old-space-size=16',
  '--heap-growing-percent=30',
];

/** What was given back goes back to the system at once, and threads share what they have: of glibc, mallopt(3). */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '65536' };

/** Beside this command where that is bundled; else its source. */
function program(): string {
  const bundle = process.env['SSEBENCH_BUNDLE'];
  return bundle
    ? join(bundle, 'gateway.mjs')
    : fileURLToPath(new URL('../../../gateway/src/server/main.ts', import.meta.url));
}

function build(): string {
  return basename(process.env['SSEBENCH_BUNDLE'] ?? 'sources');
}

function adminSocket(stateDir: string): string {
  return join(stateDir, 'admin.sock');
}

/** @throws GatewayError where the directory can't be written: a full disk is not the end of the command that wants a gateway */
function openLog(stateDir: string): number {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    return openSync(join(stateDir, LOG), 'a', 0o600);
  } catch (cause) {
    throw new GatewayError(
      `the gateway can't be started in ${stateDir}: ${String(cause)}; XDG_STATE_HOME names another place`,
      {
        cause,
      },
    );
  }
}

function lastWords(stateDir: string): string {
  const path = join(stateDir, LOG);
  try {
    const line = readFileSync(path, 'utf8').trim().split('\n').at(-1);
    return `${line || 'it said nothing'} (${path})`;
  } catch (error) {
    return `its log can't be read: ${String(error)}`;
  }
}

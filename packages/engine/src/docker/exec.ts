import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import type { ExecRequest, ExecResult } from '../container.ts';
import { EngineError } from '../errors.ts';
import type { ByteSource, ContainerEngine } from '../port.ts';
import { path, short } from './containers.ts';
import { Deadline } from './deadline.ts';
import { demux } from './demux.ts';
import { LIMIT } from './limits.ts';
import type { Transport } from './transport.ts';
import { SourceFailure, toEngineError } from './transport-error.ts';

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
/** The output ends a moment before the engine knows the exit status, and tells nobody when it does. */
const EXIT_STATUS_POLL_MS = 10;

/** Programs in running containers. */
export function execCalls(transport: Transport): Pick<ContainerEngine, 'exec' | 'execStreams'> {
  return {
    async exec(id, request) {
      const operation = `run ${request.argv[0]} in container ${short(id)}`;
      const { signal = new AbortController().signal, timeoutMs = LIMIT.exec } = request;
      const deadline = new Deadline({ totalMs: timeoutMs }, signal);
      try {
        return await run(transport, operation, id, request, deadline.signal);
      } catch (error) {
        // The deadline's signal reaches the inner calls as the caller's; what ended it is known here.
        const cause = error instanceof EngineError && error.code === 'aborted' ? error.cause : error;
        throw toEngineError(cause, { operation, address: transport.address, deadline });
      } finally {
        deadline.release();
      }
    },
    async execStreams(id, { signal = new AbortController().signal, ...request }) {
      const operation = `run ${request.argv[0]} in container ${short(id)}`;
      const { socket } = await begin(transport, operation, id, { ...request, stdin: Buffer.alloc(0) }, signal);
      const close = (): void => void socket.destroy();
      signal.addEventListener('abort', close, { once: true });
      socket.once('close', () => signal.removeEventListener('abort', close));
      // Whoever reads is told by the end of what there is to read.
      socket.on('error', () => undefined);
      return { stdin: socket, stdout: stdoutOf(socket), close };
    },
  };
}

async function* stdoutOf(socket: Socket): AsyncGenerator<Buffer> {
  for await (const { stream, data } of demux(socket)) if (stream === 'stdout') yield data;
}

async function run(
  transport: Transport,
  operation: string,
  id: string,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<ExecResult> {
  const { exec, socket } = await begin(transport, operation, id, request, signal);
  const output = await converse(socket, request, signal);
  for (;;) {
    const state = await transport.json<{ Running: boolean; ExitCode: number | null }>(
      { operation, method: 'GET', path: `${exec}/json` },
      { signal },
    );
    if (!state.Running && state.ExitCode !== null) return { exitCode: state.ExitCode, ...output };
    await after(EXIT_STATUS_POLL_MS, undefined, { signal });
  }
}

/** Makes the program and starts it, with a connection to its streams. */
async function begin(
  transport: Transport,
  operation: string,
  id: string,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<{ exec: string; socket: Socket }> {
  const created = await transport.json<{ Id: string }>(
    {
      operation,
      method: 'POST',
      path: `${path(id)}/exec`,
      body: {
        Cmd: request.argv,
        Env: Object.entries(request.env ?? {}).map(([name, value]) => `${name}=${value}`),
        User: request.user,
        WorkingDir: request.workdir,
        AttachStdin: request.stdin !== undefined,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
      },
    },
    { signal },
  );
  const exec = `/exec/${created.Id}`;
  const start = { operation, method: 'POST', path: `${exec}/start`, body: { Detach: false, Tty: false } } as const;
  return { exec, socket: await transport.hijack(start, { signal }) };
}

async function converse(
  socket: Socket,
  request: ExecRequest,
  signal: AbortSignal,
): Promise<Omit<ExecResult, 'exitCode'>> {
  const stop = () => socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const limit = request.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const stdout = new CappedOutput(limit);
  const stderr = new CappedOutput(limit);
  const receive = async () => {
    try {
      for await (const { stream, data } of demux(socket)) (stream === 'stdout' ? stdout : stderr).add(data);
    } catch (error) {
      // A program that has ended takes no input any more; its exit status tells the rest.
      if (request.stdin === undefined || !isCutOff(error)) throw error;
    } finally {
      // Its output has ended: what it has not read by now it never will.
      socket.destroy();
    }
  };
  try {
    await Promise.all([receive(), request.stdin === undefined ? undefined : send(socket, request.stdin)]);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return { stdout: stdout.kept(), stderr: stderr.kept(), stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes };
}

/** Sends all and closes our side. A program that ends without reading it all is its own affair. */
async function send(socket: Socket, stdin: Uint8Array | ByteSource): Promise<void> {
  try {
    await pipeline(stdin instanceof Uint8Array ? [stdin] : watched(stdin), socket);
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
  }
}

async function* watched(source: ByteSource): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (cause) {
    throw new SourceFailure(cause);
  }
}

function isCutOff(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
}

class CappedOutput {
  bytes = 0;
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(data: Buffer): void {
    const room = this.#limit - this.bytes;
    if (room > 0) this.#chunks.push(data.subarray(0, room));
    this.bytes += data.length;
  }

  kept(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

import { type Agent, type IncomingMessage, request } from 'node:http';
import type { DaemonAddress } from './address.ts';
import { DaemonError } from './daemon-error.ts';

/** Longest answer that is read. The daemon's longest are two capped outputs, escaped. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export interface DaemonRequest {
  agent: Agent;
  address: DaemonAddress;
  method: 'GET' | 'POST';
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface DaemonAnswer {
  status: number;
  body: Buffer;
}

/**
 * One HTTP request of a daemon, from connecting to the answer's last byte within `timeoutMs`.
 * Sent again once when a kept connection turns out to have been closed by the other side before it was used.
 * @throws DaemonError `unreachable` | `timeout`; the reason of `signal` when that was aborted
 */
export async function daemonRequest(options: DaemonRequest): Promise<DaemonAnswer> {
  const limit = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
  const what = `${options.method} ${options.path}`;
  for (let again = false; ; again = true) {
    const attempt: Attempt = { reused: false };
    try {
      return await send(options, signal, attempt);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (limit.aborted)
        throw new DaemonError('timeout', `${what}: no answer within ${options.timeoutMs} ms`, null, { cause: error });
      if (error instanceof DaemonError) throw error;
      if (attempt.reused && !again && (error as NodeJS.ErrnoException).code === 'ECONNRESET') continue;
      throw new DaemonError('unreachable', `${what}: ${(error as Error).message}`, null, { cause: error });
    }
  }
}

interface Attempt {
  /** Whether it went over a connection that had served an earlier request. */
  reused: boolean;
}

async function send(options: DaemonRequest, signal: AbortSignal, attempt: Attempt): Promise<DaemonAnswer> {
  const payload = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(
    {
      agent: options.agent,
      ...options.address,
      method: options.method,
      path: options.path,
      signal,
      headers: payload ? { 'content-type': 'application/json', 'content-length': payload.length } : {},
    },
    resolve,
  );
  outgoing.on('error', (error) => {
    attempt.reused = outgoing.reusedSocket;
    reject(error);
  });
  outgoing.end(payload);
  const answer = await promise;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) {
      outgoing.destroy();
      throw new DaemonError('internal', `the answer to ${options.path} is longer than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks) };
}

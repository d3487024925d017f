import { setTimeout as after } from 'node:timers/promises';
import type { ContainerEnd, ContainerInfo } from '../container.ts';
import { EngineError } from '../errors.ts';
import type { CallOptions } from '../port.ts';
import { RECHECK_MS } from './limits.ts';
import type { AnswerStream } from './transport.ts';

interface EndQuestion {
  operation: string;
  options: CallOptions | undefined;
  inspect: (signal: AbortSignal | undefined) => Promise<ContainerInfo | undefined>;
  /** Resolves when the engine watches for the next exit; the stream ends with it. */
  nextExit: (signal: AbortSignal) => Promise<AnswerStream>;
}

/**
 * Waits for a container's end. The engine watches before we look, so an exit between the two is not missed, nor one
 * before the start: "not running" would be true of a container that was only created.
 */
export async function ended({ operation, options, inspect, nextExit }: EndQuestion): Promise<ContainerEnd> {
  const limit = options?.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs);
  try {
    for (;;) {
      const look = new AbortController();
      const signal = AbortSignal.any([look.signal, limit, options?.signal].filter((it) => it !== undefined));
      try {
        const exit = await nextExit(signal);
        const end = readEnd(await inspect(signal), operation);
        if (end) return end;
        await Promise.race([drained(exit), after(RECHECK_MS, undefined, { signal })]);
      } finally {
        look.abort();
      }
    }
  } catch (error) {
    if (limit?.aborted && !options?.signal?.aborted) {
      const detail = `still running after ${(options?.timeoutMs ?? 0) / 1000} s`;
      throw new EngineError('timeout', { operation, detail, cause: error });
    }
    if (options?.signal?.aborted && !(error instanceof EngineError)) {
      throw new EngineError('aborted', { operation, detail: 'cancelled by the caller', cause: error });
    }
    throw error;
  }
}

/** A connection that breaks is no news: the next look tells whether the engine and the container are still there. */
async function drained(exit: AnswerStream): Promise<void> {
  try {
    for (;;) if ((await exit.next()).done) return;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
  }
}

function readEnd(container: ContainerInfo | undefined, operation: string): ContainerEnd | undefined {
  if (!container) throw new EngineError('not_found', { operation, detail: 'it was removed' });
  const { exitCode, oomKilled, startedAt, finishedAt, error } = container;
  if (exitCode === undefined) return undefined;
  const finished = finishedAt ?? new Date();
  const started = startedAt ?? finished;
  // Podman notes the start when it has seen it, which may be after the end.
  return { exitCode, oomKilled, startedAt: started, finishedAt: new Date(Math.max(+finished, +started)), error };
}

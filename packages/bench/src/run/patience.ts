import { setTimeout as delay } from 'node:timers/promises';
import { isEngineError } from '@ssebench/engine/errors';
import type { ContainerEngine } from '@ssebench/engine/port';

/** How long an engine may be gone: a restart takes seconds, and containers outlast it where it is set up so. Milliseconds. */
const PATIENCE = 30_000;
const RETRY_INTERVAL = 500;

/**
 * Does something again after the engine was gone for a while. Only for what does no harm when it happens twice.
 * @throws EngineError `unreachable` | `timeout` when the engine stays away, and whatever `ask` throws otherwise
 */
export async function patiently<T>(engine: ContainerEngine, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isEngineError(error, 'unreachable') || signal.aborted) throw error;
      await untilBack(engine, signal, error);
    }
  }
}

async function untilBack(engine: ContainerEngine, signal: AbortSignal, gone: unknown): Promise<void> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    if (performance.now() > deadline) throw gone;
    try {
      await delay(RETRY_INTERVAL, undefined, { signal });
      return await engine.ping({ signal, timeoutMs: PATIENCE });
    } catch (error) {
      if (signal.aborted) throw gone;
      if (!isEngineError(error, 'unreachable', 'timeout')) throw error;
    }
  }
}

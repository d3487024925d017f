import { constants } from 'node:os';

/** The first of these stops the run and grades nothing; a second one ends the command at once. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Watches for the user's wish to stop. `signal` fires with the signal's name as its reason. */
export function watchInterrupts(): { signal: AbortSignal; [Symbol.dispose](): void } {
  const controller = new AbortController();
  const handlers = SIGNALS.map((name) => {
    const handler = (): void => {
      if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
      controller.abort(name);
    };
    process.on(name, handler);
    return { name, handler };
  });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const { name, handler } of handlers) process.off(name, handler);
    },
  };
}

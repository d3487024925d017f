import { closeSync, writeSync } from 'node:fs';
import { ConfigError, type DaemonConfig } from './config.ts';
import { startDaemon } from './daemon.ts';
import { messageOf } from './daemon-error.ts';
import { log } from './log.ts';

/** Longest that stopping may take: afterwards the process ends at once. Source: spec/runtime §3.2. */
const STOP_LIMIT_MS = 4_000;

/**
 * Serves until SIGTERM or SIGINT; SIGQUIT ends the process at once. When all listeners answer, a line is written to the
 * descriptor `readyFd` and the descriptor closed. Returns the exit status.
 */
export async function serve(readConfig: () => DaemonConfig, readyFd: number | undefined): Promise<number> {
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopped.resolve());
  process.on('SIGQUIT', () => process.exit(1));
  try {
    const daemon = await startDaemon(readConfig());
    if (readyFd !== undefined) sayReady(readyFd);
    await stopped.promise;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS);
    await daemon.stop();
    return 0;
  } catch (error) {
    log('error', 'The daemon does not start', { reason: messageOf(error) });
    return error instanceof ConfigError ? error.exitCode : 1;
  }
}

function sayReady(fd: number): void {
  writeSync(fd, 'ready\n');
  closeSync(fd);
}

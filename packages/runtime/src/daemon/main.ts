import { closeSync, writeSync } from 'node:fs';
import { ENV } from '@ssebench/contracts/layout';
import { ConfigError, readConfig } from './config.ts';
import { startDaemon } from './daemon.ts';
import { messageOf } from './daemon-error.ts';
import { log } from './log.ts';
import { VERSION } from './version.ts';

/** Longest that stopping may take: afterwards the process ends at once. Source: spec/runtime §3.2. */
const STOP_LIMIT_MS = 4_000;

/** Serves until SIGTERM or SIGINT; SIGQUIT ends at once. Returns the exit status: 2 for a difficulty level that is none. */
export async function runDaemon(args: readonly string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`ssebench-daemon ${VERSION}\n`);
    return 0;
  }
  process.umask(0o022);
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopped.resolve());
  process.on('SIGQUIT', () => process.exit(1));
  try {
    const daemon = await startDaemon(readConfig(process.env));
    sayReady(process.env[ENV.readyFd]);
    await stopped.promise;
    setTimeout(() => process.exit(1), STOP_LIMIT_MS);
    await daemon.stop();
    return 0;
  } catch (error) {
    log('error', 'The daemon does not start', { reason: messageOf(error) });
    return error instanceof ConfigError ? error.exitCode : 1;
  }
}

/** Writes a line on the descriptor that whoever started us listens to. */
function sayReady(fd: string | undefined): void {
  if (fd === undefined) return;
  writeSync(Number(fd), 'ready\n');
  closeSync(Number(fd));
}

import { ENV } from '@ssebench/contracts/layout';
import { readConfig } from './config.ts';
import { serve } from './serve.ts';
import { VERSION } from './version.ts';

/** The daemon's program. Returns the exit status: 2 for a difficulty level that is none. */
export async function runDaemon(args: readonly string[]): Promise<number> {
  if (args[0] === '--version' || args[0] === '-V') {
    process.stdout.write(`ssebench-daemon ${VERSION}\n`);
    return 0;
  }
  process.umask(0o022);
  const readyFd = process.env[ENV.readyFd];
  return await serve(() => readConfig(process.env), readyFd === undefined ? undefined : Number(readyFd));
}

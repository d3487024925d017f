import { parseCommandLine, UsageError } from './command-line.ts';
import { startDaemon } from './daemon-service.ts';
import { log } from './log.ts';
import { setUpOutputs } from './outputs.ts';
import { readSettings } from './settings.ts';

/**
 * The entrypoint: the first program of a container, under an init that passes signals on and reaps.
 * The daemon is started before the larger part of this program is loaded, so that both load at the same time.
 * Returns the exit status; 1, with the reason on standard output, when the run can't begin.
 */
export async function runEntrypoint(args: readonly string[]): Promise<number> {
  try {
    const settings = readSettings(parseCommandLine(args), process.env);
    const archiveOwner = setUpOutputs(settings);
    const daemon = startDaemon(settings);
    const { superviseRun } = await import('./run-phases.ts');
    return await superviseRun(settings, daemon, archiveOwner);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log('ERROR', error.message);
    return 1;
  }
}

import { parseCommandLine, UsageError } from './command-line.ts';
import { log } from './log.ts';
import { setUpOutputs } from './phases/outputs.ts';
import { RunContext } from './run-context.ts';
import { runPhases } from './run-phases.ts';
import { readSettings } from './settings.ts';

/**
 * The entrypoint: the first program of a container, under an init that passes signals on and reaps.
 * Returns the exit status; 1, with the reason on standard output, when the run can't begin.
 */
export async function runEntrypoint(args: readonly string[]): Promise<number> {
  try {
    const run = new RunContext(readSettings(parseCommandLine(args), process.env));
    setUpOutputs(run);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => run.interrupt(signal));
    return await runPhases(run);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log('ERROR', error.message);
    return 1;
  }
}

import { pipeline } from 'node:stream/promises';
import { DaemonClient } from '@ssebench/sdk/daemon/daemon-client';
import { DaemonError } from '@ssebench/sdk/daemon/daemon-error';
import { runLimits } from '@ssebench/sdk/limits/run-limits';
import { taskPrompt } from '@ssebench/sdk/prompt/build-prompt';
import { recordDialog } from './dialog.ts';
import { modelSettings } from './model.ts';
import { USAGE, UsageError } from './usage.ts';

/**
 * `sse`, on the agent's path: what the SDK does, for agents in any language. Runs as whoever calls it.
 * Returns the exit status: 1 for what failed, 2 for a wrong command line; the reason is on standard error.
 */
export async function runSse([command, ...args]: readonly string[]): Promise<number> {
  try {
    return await runCommand(command, args);
  } catch (error) {
    if (error instanceof UsageError) return fail(error.message, 2);
    if (error instanceof DaemonError) return fail(`the daemon: ${error.message} (${error.code})`, 1);
    if (error instanceof RangeError) return fail(error.message, 1);
    throw error;
  }
}

async function runCommand(command: string | undefined, args: readonly string[]): Promise<number> {
  switch (command) {
    case 'prompt':
      return await print(await taskPrompt(daemon()));
    case 'project':
      return await print(JSON.stringify(await daemon().project(), null, 2));
    case 'limits':
      return await print(JSON.stringify(await runLimits(), null, 2));
    case 'diff':
      if (args[0] === '--stat') return await print(JSON.stringify((await daemon().files()).files, null, 2));
      return await printDiff();
    case 'test':
      return await printTest();
    case 'model':
      return await print(modelSettings(args));
    case 'dialog':
      return await recordDialog(args);
    case 'mcp':
      return await (await import('../mcp/stdio.ts')).serveOnStdio();
    case 'node':
      throw new UsageError('sse node must be followed by a file: sse node FILE [ARGUMENTS]');
    case undefined:
    case 'help':
    case '--help':
      return await print(USAGE.trimEnd());
    default:
      throw new UsageError(`${JSON.stringify(command)} is no command\n\n${USAGE}`);
  }
}

function daemon(): DaemonClient {
  return new DaemonClient();
}

async function printDiff(): Promise<number> {
  const { diff, encoding } = await daemon().diff();
  await write(Buffer.from(diff, encoding));
  return 0;
}

async function printTest(): Promise<number> {
  const { ownLogs, patchTester } = await import('../mcp/settings.ts');
  const tester = patchTester(process.env, ownLogs());
  return await print(await tester.call({ signal: new AbortController().signal }));
}

async function print(text: string): Promise<number> {
  await write(Buffer.from(`${text}\n`));
  return 0;
}

/** A reader that closes early, such as `head`, is no error. */
async function write(bytes: Buffer): Promise<void> {
  await pipeline([bytes], process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

function fail(message: string, status: number): number {
  process.stderr.write(`sse: ${message}\n`);
  return status;
}

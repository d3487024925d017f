import { Command, CommanderError } from 'commander';
import { addAgentsCommands } from './agents-options.ts';
import { addBuildCommands } from './build-options.ts';
import { addDatasetCommands } from './dataset-options.ts';
import { addGatewayCommands } from './gateway-options.ts';
import { addHostCommands } from './host-options.ts';
import { leaveOnInterrupt } from './interrupt.ts';
import { addModelsCommands } from './models-options.ts';
import type { Outcome } from './outcome.ts';
import { addProxyCommands } from './proxy-options.ts';
import { addRunCommands } from './run-options.ts';
import { addRunsCommands } from './runs-options.ts';
import { addTaskCommands } from './task-options.ts';
import { VERSION } from './version.ts';

/** Status of a command line that makes no sense: an unknown option, a missing one, a value of the wrong form. */
const USAGE = 2;

/** As wide as terminals are at the least, so that the help is the same everywhere. */
const HELP_WIDTH = 80;

/**
 * Runs the command that `args` ask for; what it does is loaded only then. Returns the exit status and never throws.
 */
export async function runCli(args: readonly string[]): Promise<number> {
  const outcome: Outcome = { status: 0 };
  const program = buildProgram(outcome);
  leaveOnInterrupt();
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe);
  try {
    await program.parseAsync(args, { from: 'user' });
    return outcome.status;
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 || isHelpForNothing(error) ? error.exitCode : USAGE;
    return (await import('./report-error.ts')).reportError(error);
  }
}

/** All commands with their options. They leave their status in `outcome`. */
export function buildProgram(outcome: Outcome): Command {
  const program = new Command('ssebench')
    .description('Benchmarks AI agents at fixing security vulnerabilities.')
    .version(`ssebench ${VERSION}`, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ helpWidth: HELP_WIDTH })
    .showSuggestionAfterError();
  addRunCommands(program, outcome);
  addBuildCommands(program, outcome);
  addRunsCommands(program, outcome);
  addDatasetCommands(program, outcome);
  addTaskCommands(program, outcome);
  addModelsCommands(program, outcome);
  addAgentsCommands(program, outcome);
  addGatewayCommands(program, outcome);
  addProxyCommands(program, outcome);
  addHostCommands(program, outcome);
  for (const command of allCommands(program)) {
    command.copyInheritedSettings(program).helpOption('-h, --help', 'print this help').helpCommand(false);
  }
  return program;
}

/** A reader that goes away, such as `head`, has what it wanted; what the command does and its status stay the same. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** No subcommand: commander has printed the help. */
function isHelpForNothing(error: CommanderError): boolean {
  return error.code === 'commander.help';
}

function allCommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)]);
}

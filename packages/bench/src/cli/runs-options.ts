import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

const DIR = ['--dir <dir>', 'results folder', 'results'] as const;

/** `runs …`: what goes on, and what has been. */
export function addRunsCommands(program: Command, outcome: Outcome): void {
  const runs = program.command('runs').description('runs that go on or have ended');

  runs
    .command('list')
    .description('the runs on the engine, and those that never ended')
    .option(...DIR)
    .option('--json', 'print JSON')
    .action(async (options) => {
      outcome.status = await (await import('./commands/runs-list.ts')).runsList(options);
    });

  runs
    .command('show')
    .description('one run: every check, the end of its log, and how to repeat it by hand')
    .argument('<run-id>')
    .option(...DIR)
    .option('--json', 'print JSON')
    .action(async (runId, options) => {
      outcome.status = await (await import('./commands/runs-show.ts')).runsShow(runId, options);
    });

  runs
    .command('cost')
    .description('every call of a run to its model: tokens, price, how long it took')
    .argument('<run>', "the run's ID or its directory")
    .option(...DIR)
    .option('--json', 'print JSON')
    .action(async (run, options) => {
      outcome.status = await (await import('./commands/runs-cost.ts')).runsCost(run, options);
    });

  runs
    .command('logs')
    .description("what a run's container printed")
    .argument('<run-id>')
    .option('--follow', 'go on until it ends')
    .action(async (runId, options) => {
      outcome.status = await (await import('./commands/runs-logs.ts')).runsLogs(runId, options);
    });

  runs
    .command('stop')
    .description('stop a run; its container stays')
    .argument('<run-id>')
    .option('--grace <seconds>', 'time to end by itself (default: 20)')
    .action(async (runId, options) => {
      outcome.status = await (await import('./commands/runs-stop.ts')).runsStop(runId, options);
    });

  runs
    .command('recover')
    .description('bring runs whose command was killed to their end')
    .argument('[run-id]', 'default: all of them')
    .option(...DIR)
    .action(async (runId, options) => {
      outcome.status = await (await import('./commands/runs-recover.ts')).runsRecover(runId, options);
    });

  runs
    .command('remove')
    .description("remove a run's containers and volumes, running or not; its results stay")
    .argument('<run-id>')
    .action(async (runId) => {
      outcome.status = await (await import('./commands/runs-remove.ts')).runsRemove(runId);
    });

  runs
    .command('results')
    .description('the runs that ended, newest first')
    .option(...DIR)
    .option('--json', 'print JSON')
    .action(async (options) => {
      outcome.status = await (await import('./commands/runs-results.ts')).runsResults(options);
    });
}

import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `gc` and `doctor`: the state of the machine. */
export function addHostCommands(program: Command, outcome: Outcome): void {
  program
    .command('gc')
    .description('end lost runs, remove what has no owner any more')
    .option('--dry-run', 'only say what would be removed')
    .option('--no-wait', 'leave runs alone whose agent still works')
    .option('--images', 'also remove the images of tasks and agents that no container uses')
    .option('--dir <dir>', 'results folder', 'results')
    .action(async (options) => {
      outcome.status = await (await import('./commands/gc.ts')).gc(options);
    });

  program
    .command('doctor')
    .description('check the machine, and say how to put right what is not')
    .option('--json', 'print JSON')
    .action(async (options) => {
      outcome.status = await (await import('./commands/doctor.ts')).doctor(options);
    });
}

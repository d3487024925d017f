import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `task …`: writing one. */
export function addTaskCommands(program: Command, outcome: Outcome): void {
  const task = program.command('task').description('write a task');

  task
    .command('new')
    .description('make the folder of a new task; asks for what no option says, on a terminal')
    .argument('[id]', 'name of the folder, and ID of the task')
    .option('--dataset <dir>', 'dataset folder; made when there is none')
    .option('--language <language>', 'c, go or rust')
    .option('--project <name>', "the project's name")
    .option('--repository <url>', 'where its source is kept, https://…')
    .option('--commit <commit>', 'the vulnerable commit, 40 hexadecimal digits')
    .option('--fix <commit>', 'the commit that fixes it')
    .option('--type <text>', 'kind of bug, such as "Heap buffer overflow"')
    .option('--report <url>', 'the advisory or issue')
    .action(async (id, options) => {
      outcome.status = await (await import('./commands/task-new.ts')).taskNew(id, options);
    });

  task
    .command('try')
    .description("run a task's scripts on the vulnerable tree and on the fixed one, and show what they print")
    .argument('<task>', "task folder, or ID of a task of home's datasets")
    .option('--lines <count>', "of each script's output, from both ends", '40')
    .option('--check-timeout <seconds>', 'time limit of one script (default: 1800)')
    .option('--grading-timeout <seconds>', 'time limit of one tree (default: enough for every script and 300)')
    .option('--memory <size>', 'limit of a container, such as 512m or 4g')
    .option('--cpus <number>', 'limit of a container, such as 1.5')
    .option('--extra-ca <file>', 'PEM file of a certificate authority that image builds trust as well')
    .action(async (named, options) => {
      outcome.status = await (await import('./commands/task-try.ts')).taskTry(named, options);
    });
}

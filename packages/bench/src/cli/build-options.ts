import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `build-case`, `images` and `tasks`. */
export function addBuildCommands(program: Command, outcome: Outcome): void {
  program
    .command('build-case')
    .description("build the tasks' case images")
    .option('--benchmarks <dir>', 'dataset folder (default: datasets/starter of home)')
    .option('--tasks <ids>', 'comma-separated (default: all)')
    .option('--force', 'build although nothing changed')
    .option('-j, --jobs <count>', 'images to build at a time (default: 1)')
    .option('--extra-ca <file>', 'PEM file of a certificate authority that image builds trust as well')
    .action(async (options) => {
      outcome.status = await (await import('./commands/build-case.ts')).buildCase(options);
    });

  program
    .command('images')
    .description('the images that tasks are built on')
    .command('base')
    .description('build the base images that are missing or outdated')
    .option('--extra-ca <file>', 'PEM file of a certificate authority that image builds trust as well')
    .action(async (options) => {
      outcome.status = await (await import('./commands/images-base.ts')).imagesBase(options);
    });

  program
    .command('tasks')
    .description('the tasks of a dataset')
    .command('list')
    .description('list them with language and project')
    .option('--local <dir>', 'dataset folder')
    .option('--catalog <source>', "path or web address of a manifest (default: SSEBENCH_CATALOG, else home's starter)")
    .option('--json', 'print JSON')
    .action(async (options) => {
      outcome.status = await (await import('./commands/tasks-list.ts')).tasksList(options);
    });
}

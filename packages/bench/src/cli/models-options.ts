import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `models …`: what `--model` can name. */
export function addModelsCommands(program: Command, outcome: Outcome): void {
  const models = program.command('models').description('models that agents can be run with');

  models
    .command('list')
    .description('all models: where they are served, for what price')
    .option('--json', 'print JSON')
    .action(async (options) => {
      outcome.status = (await import('./commands/models-list.ts')).modelsList(options);
    });

  models
    .command('check')
    .description('say what keeps a model from being used; calls no provider')
    .argument('[model...]', 'these must be ready to run; default: all, keys may be missing')
    .option('--json', 'print JSON')
    .action(async (names, options) => {
      outcome.status = (await import('./commands/models-check.ts')).modelsCheck(names, options);
    });
}

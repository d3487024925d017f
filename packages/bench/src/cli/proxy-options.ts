import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `proxy …`: LiteLLM in containers of its own, for runs that are to use it in place of the gateway of ours. */
export function addProxyCommands(program: Command, outcome: Outcome): void {
  const proxy = program.command('proxy').description('LiteLLM with its database, by Docker Compose');

  proxy
    .command('up')
    .description('build what is outdated, start it, wait until it answers')
    .option('--rebuild', 'build from nothing')
    .action(async (options) => {
      outcome.status = await (await import('./commands/proxy.ts')).proxyUp(options);
    });

  proxy
    .command('build')
    .description('build its image with the models of models/')
    .option('--rebuild', 'build from nothing')
    .action(async (options) => {
      outcome.status = await (await import('./commands/proxy.ts')).proxyBuild(options);
    });

  proxy
    .command('down')
    .description('stop it; keys and spend stay in its database')
    .option('--volumes', 'remove the database, too')
    .action(async (options) => {
      outcome.status = await (await import('./commands/proxy.ts')).proxyDown(options);
    });
}

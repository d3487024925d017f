import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `agents …`: what `--agent` can name. */
export function addAgentsCommands(program: Command, outcome: Outcome): void {
  const agents = program.command('agents').description('agents that tasks can be given to');

  agents
    .command('list')
    .description('all agents: their versions, what they speak, the models and keys for them')
    .option('--json', 'print JSON')
    .action(async (options) => {
      outcome.status = (await import('./commands/agents-list.ts')).agentsList(options);
    });

  agents
    .command('check')
    .description('run an agent before a scripted model, and say what its wrapper misses; costs nothing')
    .argument('<name>', 'folder under agents/')
    .option('--keep', 'leave the runs of the check; they stay when something is missing')
    .option('--json', 'print JSON')
    .action(async (name, options) => {
      outcome.status = await (await import('./commands/agents-check.ts')).agentsCheck(name, options);
    });
}

import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `gateway …`: what stands between agents and their models. Runs start it by themselves. */
export function addGatewayCommands(program: Command, outcome: Outcome): void {
  const gateway = program.command('gateway').description('what agents reach their models through; runs start it');

  gateway
    .command('up')
    .description('start it, unless it runs')
    .action(async () => {
      outcome.status = await (await import('./commands/gateway.ts')).gatewayUp();
    });

  gateway
    .command('status')
    .description('its runs, what they spent, and what was refused')
    .option('--json', 'print JSON')
    .action(async (options) => {
      outcome.status = await (await import('./commands/gateway.ts')).gatewayStatus(options);
    });

  gateway
    .command('down')
    .description('end it; runs that go on find the next one')
    .option('--force', 'also while runs need it')
    .action(async (options) => {
      outcome.status = await (await import('./commands/gateway.ts')).gatewayDown(options);
    });
}

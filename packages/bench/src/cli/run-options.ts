import { MODEL_SWITCHES } from '@ssebench/contracts/model-switches';
import { type Command, Option } from 'commander';
import type { Outcome } from './outcome.ts';

/** Options of other versions: known, so that the answer says so. */
const OTHER_VERSIONS = ['--backend <name>', '--tool-layer <name>'];

/** `run` and `grade`. Values are checked when the command runs, so that the help loads nothing. */
export function addRunCommands(program: Command, outcome: Outcome): void {
  const run = program
    .command('run')
    .description('run one agent on one task and grade what it leaves')
    .option('--agent <name>', 'folder under agents/')
    .option('--task <id>', "the task's folder name")
    .option('--model <name>', 'a model of models/*.yaml; not needed for the agent "reference"')
    .option('--prebuilt', 'build nothing: all images are pulled by the digests of the images lock')
    .option('--timeout <seconds>', 'time limit of the agent (default: 3600)')
    .option('--difficulty <level>', '0 to 4: the checks that the agent may run itself, all to none (default: 2)')
    .option('--egress <policy>', 'restricted: no network but the model; open: also the internet (default: restricted)')
    .option('--mode <mode>', 'sandbox: the agent works beside the project (default: sandbox)');
  for (const flags of OTHER_VERSIONS) run.addOption(new Option(flags).hideHelp());
  run.addOption(
    new Option('--plugin <name>').hideHelp().argParser((name: string, earlier: string[] = []) => [...earlier, name]),
  );
  addGradingOptions(run)
    .option('--budget <usd>', 'what the run may spend on its model (default: 10)')
    .option(
      '--snapshot-interval <seconds>',
      "how often the agent's patch is kept while it works, or off (default: 30; less often as a run goes on)",
    )
    .option('--allow <kind...>', `what models may use that is refused otherwise: ${MODEL_SWITCHES.join(', ')}`)
    .option('--no-record', 'do not keep what the agent and its model say to each other')
    .option('--replay <run>', 'ID or directory of a run: its recording answers in place of the model, at no cost')
    .option('--grading <mode>', "separate: in a container of its own; same: in the agent's (default: separate)")
    .action(async (options) => {
      outcome.status = await (await import('./commands/run.ts')).run(options);
    });

  const grade = program
    .command('grade')
    .description('grade a patch on a task, without an agent')
    .requiredOption('--task <id>', "the task's folder name")
    .requiredOption('--patch <file>', "a git diff against the task's source");
  addGradingOptions(grade).action(async (options) => {
    outcome.status = await (await import('./commands/run.ts')).grade(options);
  });
}

function addGradingOptions(command: Command): Command {
  return command
    .option('--local <dir>', 'dataset folder that holds the task: its image is built from there')
    .option(
      '--catalog <source>',
      'path or URL of a manifest that lists the task: its image is pulled (default: starter)',
    )
    .option('--build', "build the image of a catalog's task from the task folder")
    .option('--run-id <id>', 'name of the run directory (default: the time and six hex digits)')
    .option('--require-pass', 'exit with status 1 unless the run is solved: passed, on the strict tree, too')
    .option('--keep-container', 'leave the containers after the run')
    .option('--check-timeout <seconds>', 'time limit of one script (default: 1800)')
    .option('--grading-timeout <seconds>', 'time limit of all grading (default: enough for every script and 300)')
    .option('--memory <size>', 'limit of a container, such as 512m or 4g')
    .option('--cpus <number>', 'limit of a container, such as 1.5')
    .option('--pids <count>', 'limit of processes and threads of a container, at least 4096')
    .option('--disk <size>', 'limit of what a container and the archive take, such as 20g')
    .option('--extra-ca <file>', 'PEM file of a certificate authority that image builds trust as well');
}

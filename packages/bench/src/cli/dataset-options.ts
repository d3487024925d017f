import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';

/** `dataset …`: what task authors need. */
export function addDatasetCommands(program: Command, outcome: Outcome): void {
  const dataset = program.command('dataset').description('datasets: check them, prove them, publish them');

  dataset
    .command('validate')
    .description('list everything that is wrong with tasks; builds and runs nothing')
    .argument('[where...]', "folders of datasets or tasks, or names of home's datasets (default: all of these)")
    .option('--strict', 'warnings count as errors')
    .option('--json', 'print JSON')
    .action(async (where, options) => {
      outcome.status = (await import('./commands/dataset-validate.ts')).datasetValidate(where, options);
    });

  dataset
    .command('add')
    .description('keep the dataset of a git repository in datasets/; nothing of it is executed')
    .argument('<url>', 'of the repository: https://, ssh:// or file://')
    .option('--path <dir>', 'folder of the dataset in the repository (default: its root)')
    .option('--ref <name>', "branch or tag (default: the repository's usual branch)")
    .action(async (url, options) => {
      outcome.status = await (await import('./commands/dataset-add.ts')).datasetAdd(url, options);
    });

  dataset
    .command('manifest')
    .description('write manifest.json, the list of the tasks with the checksums of their files')
    .argument('[dataset...]', "folders, or names of home's datasets (default: all of these)")
    .option('-o, --output <file>', 'write there; -: standard output (default: manifest.json in the dataset)')
    .option('--check', 'write nothing; status 1 and what differs when it is out of date')
    .option('--generated-from <commit>', 'commit to name in it (default: none)')
    .action(async (where, options) => {
      outcome.status = await (await import('./commands/dataset-manifest.ts')).datasetManifest(where, options);
    });

  dataset
    .command('schema')
    .description("write the JSON Schemas of the datasets' files")
    .option('-o, --output <dir>', 'folder to write to (default: datasets/schema of home)')
    .option('--check', 'write nothing; status 1 when one is missing or out of date')
    .action(async (options) => {
      outcome.status = await (await import('./commands/dataset-schema.ts')).datasetSchema(options);
    });

  dataset
    .command('notices')
    .description('write THIRD_PARTY.md of datasets with a third_party.json: licences, origins, advisories')
    .argument('[dataset...]', "folders, or names of home's datasets (default: all of these)")
    .option('--check', 'write nothing; status 1 and what differs when it is out of date')
    .action(async (where, options) => {
      outcome.status = await (await import('./commands/dataset-notices.ts')).datasetNotices(where, options);
    });

  dataset
    .command('verify')
    .description(
      'run the fix, nothing, and the control patches of tasks, and compare the grades with what they must be',
    )
    .argument('[task...]', 'default: all')
    .option('--dir <dir...>', 'dataset folders (default: every one in datasets/)')
    .option('--changed-since <commit>', 'only tasks that changed since then, or whose base image did')
    .option('--list', 'print the selected tasks and their base images as JSON, run nothing')
    .option('-j, --jobs <count>', 'tasks at a time', '2')
    .option(
      '--repeat <count>',
      'run everything so often, by turns one task at a time and all jobs: finds flaky checks',
      '1',
    )
    .option('--retries <count>', 'try a run that came to no grade so often again', '0')
    .option(
      '-o, --output <dir>',
      'where the results go; what is there already is not done again',
      'results/dataset-verify',
    )
    .option('--anew', 'do again what is there already; what was there no longer counts')
    .option('--record', "write the tests that passed under the reference into the task's folder")
    .option('--summarize', 'run nothing, only make the summary anew')
    .option('--model <name>', 'what runs of the agent "dummy" are recorded with', 'claude-sonnet-4-6')
    .option('--difficulty <level>', 'as of run', '2')
    .option('--timeout <seconds>', 'as of run', '3600')
    .action(async (ids, options) => {
      outcome.status = await (await import('./commands/dataset-verify.ts')).datasetVerify(ids, options);
    });

  dataset
    .command('publish')
    .description('push the images of verified tasks to a registry, and write down their digests')
    .argument('[task...]', 'default: every task with a result of dataset verify')
    .option('--dir <dir>', 'dataset folder (default: every one in datasets/)')
    .requiredOption('--registry <prefix>', 'what image names begin with there, such as ghcr.io/owner/name')
    .option('--revision <commit>', "the commit that holds the tasks (default: HEAD of the dataset's repository)")
    .option('--agent <name...>', 'publish what runs with this agent need as well, for run --prebuilt')
    .option(
      '-o, --output <dir>',
      'where dataset verify left its results; records go to published/ in it',
      'results/dataset-verify',
    )
    .action(async (ids, options) => {
      outcome.status = await (await import('./commands/dataset-publish.ts')).datasetPublish(ids, options);
    });

  dataset
    .command('lock')
    .description('write images.lock.json: the published images of a dataset, by digest')
    .argument('[dataset...]', "folders, or names of home's datasets (default: all of these)")
    .option('--records <dir>', 'records of dataset publish to take in (default: none)')
    .option('-o, --output <file>', 'write there (default: images.lock.json in the dataset)')
    .option('--check', 'write nothing; status 1 when it is missing or does not go with the dataset')
    .action(async (where, options) => {
      outcome.status = await (await import('./commands/dataset-lock.ts')).datasetLock(where, options);
    });
}

import { existsSync, lstatSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Summary } from '@ssebench/contracts/summary';
import { afterEach, expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../cli/test-cli.ts';
import { loadSettings } from '../config/settings.ts';
import { scanResults } from '../results/scan.ts';
import { checkRunArguments } from '../run/check-arguments.ts';
import { claimRun, type RunOwner } from '../run/owner.ts';
import { createRunDirectory, type RunDirectory } from '../run/run-directory.ts';
import { writeFirstResult } from '../run/write-results.ts';
import { abandonedRuns } from './abandoned-runs.ts';

const owners: RunOwner[] = [];
afterEach(async () => {
  for (const owner of owners.splice(0)) await owner.release();
});

/** A run as it stands when its container has just started. */
async function startedRun(folder: CliFolder): Promise<{ directory: RunDirectory; owner: RunOwner; root: string }> {
  const { dir } = folder;
  const { plan } = checkRunArguments(
    { agent: 'dummy', model: 'model-two', task: 'leak-1', local: 'data/set', runId: 'one' },
    {
      home: dir,
      workspace: dir,
      settings: loadSettings(dir, {}),
      cwd: dir,
      startedAt: new Date(),
      random: new Uint8Array(3),
    },
  );
  const { settings, runId, task } = plan;
  const directory = await createRunDirectory(plan.resultsRoot, {
    task: task.id,
    model: settings.model,
    agent: settings.agent,
    runId,
  });
  const owner = await claimRun(directory.token);
  owners.push(owner);
  await writeFirstResult(directory, { ...plan, version: '0.0.0' }, owner);
  return { directory, owner, root: plan.resultsRoot };
}

test('a run whose command lives is never touched', async () => {
  using folder = cliFolder();
  const { root, directory } = await startedRun(folder);
  expect(await abandonedRuns(root, new Date(Date.now() + 86_400_000))).toEqual([]);
  expect(lstatSync(directory.path).isSymbolicLink()).toBe(true);
});

test('a run whose command was killed ends as an error with a summary, and keeps its patch', async () => {
  using folder = cliFolder();
  const { root, directory, owner } = await startedRun(folder);
  folder.write(join('results/.live', directory.token, 'work/final.patch'), 'diff');
  await owner.release();
  const found = await abandonedRuns(root, new Date());
  expect(found.map(({ kind, name }) => ({ kind, name }))).toEqual([{ kind: 'run', name: directory.path }]);
  await found[0]?.remove();

  expect(lstatSync(directory.path).isDirectory()).toBe(true);
  expect(readFileSync(join(directory.path, 'final.patch'), 'utf8')).toBe('diff');
  const summary = Summary.parse(JSON.parse(readFileSync(join(directory.path, 'summary.json'), 'utf8')));
  expect(summary).toMatchObject({
    run_id: 'one',
    patch_result: { status: 'error', error_msg: 'Exception: the command that conducted the run was killed' },
    outcome: { code: 'container_lost', fault: { blame: 'infra', retryable: true } },
  });
  expect(scanResults(root)).toMatchObject({ finished: [{ run_id: 'one', status: 'error' }], unfinished: [] });
  expect(await abandonedRuns(root, new Date())).toEqual([]);
  expect(existsSync(join(directory.path, 'owner.json'))).toBe(false);
});

test('a run that was killed after its summary only moves to its place', async () => {
  using folder = cliFolder();
  const { root, directory, owner } = await startedRun(folder);
  await owner.release();
  await (await abandonedRuns(root, new Date()))[0]?.remove();
  const summary = readFileSync(join(directory.path, 'summary.json'), 'utf8');

  using other = cliFolder();
  other.write(`results/.live/${directory.token}/summary.json`, summary);
  const live = join(other.dir, 'results/.live', directory.token);
  expect(await abandonedRuns(join(other.dir, 'results'), new Date())).toEqual([]);
  utimesSync(live, 0, 0);
  await (await abandonedRuns(join(other.dir, 'results'), new Date()))[0]?.remove();
  expect(readFileSync(join(other.dir, 'results/leak-1/model-two/dummy/one/summary.json'), 'utf8')).toBe(summary);
});

test('a directory from before the first file is no run: it goes when it is old', async () => {
  using folder = cliFolder({ 'results/.live/0a1b2c3d/work/x': '' });
  const live = join(folder.dir, 'results/.live/0a1b2c3d');
  expect(await abandonedRuns(join(folder.dir, 'results'), new Date())).toEqual([]);
  utimesSync(live, 0, 0);
  const found = await abandonedRuns(join(folder.dir, 'results'), new Date());
  expect(found.map(({ kind, name }) => ({ kind, name }))).toEqual([{ kind: 'directory', name: live }]);
});

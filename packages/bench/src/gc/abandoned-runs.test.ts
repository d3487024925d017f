import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type CliFolder, cliFolder } from '../cli/test-cli.ts';
import { RunRecord } from '../run/record.ts';
import { summaryOf } from '../run/summarize.ts';
import { type StartedRun, startedRun } from '../testing/started-run.ts';
import { abandonedRuns, deadDirectories } from './abandoned-runs.ts';

const started: StartedRun[] = [];
afterEach(async () => {
  for (const { owner } of started.splice(0)) await owner.release();
});

async function start(folder: CliFolder, runId?: string): Promise<StartedRun> {
  const run = await startedRun(folder, runId);
  started.push(run);
  return run;
}

const LATER = 86_400_000;

test('a run whose command lives is never touched', async () => {
  using folder = cliFolder();
  const { root, directory } = await start(folder);
  expect(await abandonedRuns(root)).toEqual([]);
  expect(await deadDirectories(root, new Date(Date.now() + LATER))).toEqual([]);
  expect(lstatSync(directory.path).isSymbolicLink()).toBe(true);
});

test('runs whose command was killed are found, the first first', async () => {
  using folder = cliFolder();
  for (const id of ['one', 'two']) await (await start(folder, id)).owner.abandon();
  const found = await abandonedRuns(join(folder.dir, 'results'));
  expect(found.map(({ owner }) => owner.run_id)).toEqual(['one', 'two']);
});

test('a directory from before the first file is no run: it goes when it is old, and its name with it', async () => {
  using folder = cliFolder({ 'results/.live/0a1b2c3d/work/x': '', 'results/task/model/agent/other/x': '' });
  const root = join(folder.dir, 'results');
  const live = join(root, '.live/0a1b2c3d');
  symlinkSync('../../../.live/0a1b2c3d', join(root, 'task/model/agent/run'));
  expect(await deadDirectories(root, new Date())).toEqual([]);
  utimesSync(live, 0, 0);
  const found = await deadDirectories(root, new Date());
  expect(found.map(({ kind, name }) => ({ kind, name }))).toEqual([{ kind: 'directory', name: live }]);
  await found[0]?.remove();
  expect(existsSync(live)).toBe(false);
  expect(lstatSync(join(root, 'task/model/agent/run'), { throwIfNoEntry: false })).toBeUndefined();
  expect(existsSync(join(root, 'task/model/agent/other/x'))).toBe(true);
});

test('a run that was killed in its very last step only takes its place', async () => {
  using folder = cliFolder();
  const { root, directory, facts, owner } = await start(folder);
  const summary = JSON.stringify(summaryOf(facts, new RunRecord(), new Date()));
  folder.write(`results/.live/${directory.token}/summary.json`, summary);
  rmSync(join(directory.live, 'owner.json'));
  expect(await deadDirectories(root, new Date())).toEqual([]);
  await owner.release();
  expect(folder.ssebench(['runs', 'recover'])).toMatchObject({
    status: 0,
    stdout: `finished run ${directory.path.replace(folder.dir, '<dir>')}\n`,
  });
  expect(readFileSync(join(directory.path, 'summary.json'), 'utf8')).toBe(summary);
  expect(existsSync(directory.live)).toBe(false);
});

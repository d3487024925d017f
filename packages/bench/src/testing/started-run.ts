import type { CliFolder } from '../cli/test-cli.ts';
import { loadSettings } from '../config/settings.ts';
import { checkRunArguments } from '../run/check-arguments.ts';
import { claimRun, type RunOwner } from '../run/owner.ts';
import { createRunDirectory, type RunDirectory, runDirectory } from '../run/run-directory.ts';
import type { RunFacts } from '../run/summarize.ts';
import { writeFirstResult } from '../run/write-results.ts';

/** For tests: a run as it stands when its command has just begun. */
export interface StartedRun {
  directory: RunDirectory;
  owner: RunOwner;
  facts: RunFacts;
  /** The results folder. */
  root: string;
}

let count = 0;

/** A run of the agent `dummy` on the folder's task, conducted by this process. */
export async function startedRun({ dir }: CliFolder, runId = 'one'): Promise<StartedRun> {
  const world = { home: dir, workspace: dir, settings: loadSettings(dir, {}), cwd: dir, random: new Uint8Array(3) };
  const options = { agent: 'dummy', model: 'model-two', task: 'leak-1', local: 'data/set', runId };
  const { plan } = checkRunArguments(options, { ...world, startedAt: new Date() });
  const { settings, task, startedAt, resultsRoot: root } = plan;
  const facts: RunFacts = { runId, startedAt, task, settings, version: '0.0.0' };
  count += 1;
  const token = (process.pid * 1000 + count).toString(16).padStart(8, '0').slice(-8);
  const directory = runDirectory(root, { task: task.id, model: settings.model, agent: settings.agent, runId }, token);
  const owner = await claimRun(token);
  await createRunDirectory(directory, () => writeFirstResult(directory, facts, owner));
  return { directory, owner, facts, root };
}

import type { PatchResult } from '@ssebench/contracts/result';
import type { ContainerEngine } from '@ssebench/engine/port';
import type { RunProgress } from '../progress/run-progress.ts';
import { collectResults } from './collect.ts';
import { watchInterrupts } from './interrupt.ts';
import { claimRun, type RunOwner } from './owner.ts';
import type { GradePlan } from './plan.ts';
import { RunRecord } from './record.ts';
import { createRunDirectory, type RunDirectory, settleRunDirectory } from './run-directory.ts';
import type { RunFacts } from './summarize.ts';
import { dropOwnerFile, writeFirstResult, writeResults } from './write-results.ts';

/** What a run needs of the program around it. */
export interface RunContext {
  home: string;
  workspace: string;
  registry: string;
  version: string;
  /** See `ImageContext`. */
  debianMirror: string | undefined;
  progress: RunProgress;
  connect(): Promise<ContainerEngine>;
}

export interface RunReport {
  /** The run's directory, absolute. */
  directory: string;
  patchResult: PatchResult;
  /** The user stopped it. */
  interrupted: boolean;
}

/** What every run has while it goes on. */
export interface Stage {
  record: RunRecord;
  directory: RunDirectory;
  owner: RunOwner;
  engine: ContainerEngine;
  /** Fires when the user stops the run. */
  signal: AbortSignal;
}

/**
 * Conducts a run in a directory of its own. Whatever happens after that directory is made, it holds a `result.json` and a
 * `summary.json` that say so, and the report is made of them.
 * @throws UserError when the run's directory exists
 */
export async function conductInDirectory(
  plan: Pick<GradePlan, 'task' | 'settings' | 'runId' | 'startedAt' | 'resultsRoot'>,
  context: RunContext,
  conduct: (stage: Stage) => Promise<void>,
): Promise<RunReport> {
  const { task, settings, runId, startedAt } = plan;
  const facts: RunFacts = { task, settings, runId, startedAt, version: context.version };
  const record = new RunRecord();
  using interrupts = watchInterrupts();
  const { signal } = interrupts;
  const directory = await createRunDirectory(plan.resultsRoot, {
    task: task.id,
    model: settings.model,
    agent: settings.agent,
    runId,
  });
  const owner = await claimRun(directory.token);
  try {
    await writeFirstResult(directory, facts, owner);
    const engine = await context.connect();
    try {
      await conduct({ record, directory, owner, engine, signal });
    } finally {
      engine.close();
    }
  } catch (error) {
    record.failWith(error, signal);
  }
  await record
    .during('collect', 'collect', () => collectResults(directory))
    .catch((error: unknown) => record.failWith(error, signal));
  const patchResult = await writeResults(directory, facts, record);
  await dropOwnerFile(directory);
  await settleRunDirectory(directory);
  await owner.release();
  context.progress.close();
  return { directory: directory.path, patchResult, interrupted: record.fault?.code === 'interrupted' };
}

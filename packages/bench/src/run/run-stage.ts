import { randomBytes } from 'node:crypto';
import type { Integrity } from '@ssebench/contracts/integrity';
import type { ReplayState } from '@ssebench/contracts/model-calls';
import type { GatewayKind } from '@ssebench/contracts/model-use';
import type { PatchResult } from '@ssebench/contracts/result';
import type { TestsReport } from '@ssebench/contracts/summary';
import type { ContainerEngine } from '@ssebench/engine/port';
import type { HostMounts } from '../config/settings.ts';
import type { ModelGateway } from '../gateway/model-gateway.ts';
import type { RunProgress } from '../progress/run-progress.ts';
import { weighFault } from './blame.ts';
import { watchInterrupts } from './interrupt.ts';
import { claimRun } from './owner.ts';
import type { GradePlan } from './plan.ts';
import { RunRecord } from './record.ts';
import { createRunDirectory, runDirectory } from './run-directory.ts';
import type { Stage } from './run-scene.ts';
import type { RunFacts } from './summarize.ts';
import { cantBegin, cantEnd } from './unwritable.ts';
import { endRun, writeFirstResult } from './write-results.ts';

/** What a run needs of the program around it. */
export interface RunContext {
  home: string;
  workspace: string;
  registry: string;
  version: string;
  /** See `ImageContext`. */
  debianMirror: string | undefined;
  /** See `Settings`. */
  hostMounts: HostMounts;
  progress: RunProgress;
  connect(): Promise<ContainerEngine>;
  /** @throws GatewayError */
  gateway(kind: GatewayKind): Promise<ModelGateway>;
}

export interface RunReport {
  /** The run's directory, absolute. */
  directory: string;
  patchResult: PatchResult;
  integrity: Integrity | null;
  tests: TestsReport | null;
  /** Null in a run that is none. */
  replay: ReplayState | null;
  /** The user stopped it. */
  interrupted: boolean;
}

/**
 * Conducts a run in a directory of its own. Whatever happens after that directory is made, it holds a `result.json` and a
 * `summary.json` that say so, and the report is made of them.
 * @throws UserError when the run's directory exists or can't be made, and when the results can't be written in the end:
 * then the run has not ended, and `ssebench runs recover` ends it
 */
export async function conductInDirectory(
  plan: Pick<GradePlan, 'task' | 'settings' | 'runId' | 'startedAt' | 'resultsRoot'>,
  context: RunContext,
  conduct: (stage: Stage) => Promise<void>,
): Promise<RunReport> {
  const { task, settings, runId, startedAt, resultsRoot } = plan;
  const { progress } = context;
  const facts: RunFacts = { task, settings, runId, startedAt, version: context.version };
  const record = new RunRecord();
  using interrupts = watchInterrupts();
  const { signal } = interrupts;
  const name = { task: task.id, model: settings.model, agent: settings.agent, runId };
  const directory = runDirectory(resultsRoot, name, randomBytes(4).toString('hex'));
  const owner = await claimRun(directory.token).catch((error: unknown) => {
    throw cantBegin(error);
  });
  try {
    await createRunDirectory(directory, () => writeFirstResult(directory, facts, owner));
  } catch (error) {
    await owner.release();
    throw cantBegin(error);
  }
  const cleanup = new AsyncDisposableStack();
  try {
    const engine = await context.connect();
    cleanup.defer(() => engine.close());
    await conduct({ facts, record, directory, owner, engine, progress, signal, cleanup });
  } catch (error) {
    record.failWith(error, signal);
  }
  const cleaned = cleanup.disposeAsync();
  try {
    await weighFault(record, directory);
    const { patch_result: patchResult, integrity, tests, model } = await endRun(directory, facts, record);
    // Who finds no owner finds no container of its either.
    await cleaned;
    await owner.release();
    const interrupted = record.fault?.code === 'interrupted';
    return { directory: directory.path, patchResult, integrity, tests, replay: model?.replay ?? null, interrupted };
  } catch (error) {
    await owner.abandon();
    throw cantEnd(error, runId, resultsRoot);
  } finally {
    await cleaned;
    progress.close();
  }
}

import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CONTAINER } from '@ssebench/contracts/layout';
import { notGraded, type PatchResult } from '@ssebench/contracts/result';
import { isEngineError } from '@ssebench/engine/errors';
import { unpackFile } from '@ssebench/engine/tar';
import { writeFileAtomic } from '../results/atomic-write.ts';
import { OWNER_FILE, type OwnerFile } from '../results/owner.ts';
import type { RunScene } from './execute-run.ts';
import type { RunOwner } from './owner.ts';
import type { RunRecord } from './record.ts';
import type { RunDirectory } from './run-directory.ts';
import { type RunFacts, resultOf, summaryOf } from './summarize.ts';

/** From a run's first moment on its directory says that it did not end, who owns it, and all that its summary will need. */
export async function writeFirstResult({ live }: RunDirectory, facts: RunFacts, owner: RunOwner): Promise<void> {
  const result = {
    patch_result: notGraded('No result: the run has not ended'),
    runtime_result: { agent_duration: 0, agent_timeout: false, evaluator_timeout: false, agent_exit_code: null },
    config: facts.settings,
  };
  const { socket, directory } = owner;
  await writeFileAtomic(join(live, OWNER_FILE), JSON.stringify({ socket, directory, facts } satisfies OwnerFile));
  await writeFileAtomic(join(live, 'result.json'), JSON.stringify(result));
}

/** Writes `result.json`, then `summary.json`: a directory with a summary is a run that has ended. */
export async function writeResults({ live }: RunDirectory, facts: RunFacts, record: RunRecord): Promise<PatchResult> {
  const result = resultOf(facts, record);
  if (record.grade?.checks.length)
    await writeFileAtomic(join(live, 'checks.json'), JSON.stringify(record.grade.checks));
  await writeFileAtomic(join(live, 'result.json'), JSON.stringify(result));
  await writeFileAtomic(join(live, 'summary.json'), JSON.stringify(summaryOf(facts, record, new Date())));
  return result.patch_result;
}

/** A run that has ended has no owner. */
export async function dropOwnerFile({ live }: RunDirectory): Promise<void> {
  await rm(join(live, OWNER_FILE), { force: true });
}

/** Larger than any fix; bytes. */
const MAX_REFERENCE_PATCH = 16 * 1024 * 1024;

/** `reference.patch`, for reports: from the tool image, when the task has one. Its absence changes nothing. */
export async function saveReferencePatch({ engine, plan, directory }: RunScene, toolContainer: string): Promise<void> {
  const { patch } = plan.task.config.files;
  if (!patch) return;
  try {
    const archive = await engine.getArchive(toolContainer, `${CONTAINER.task}/${patch}`);
    const bytes = await unpackFile(archive, basename(patch), { maxBytes: MAX_REFERENCE_PATCH });
    if (bytes) await writeFileAtomic(join(directory.live, 'reference.patch'), bytes);
  } catch (error) {
    if (!isEngineError(error)) throw error;
  }
}

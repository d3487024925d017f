import { errorMessage } from '@ssebench/contracts/faults';
import { notGraded, type PatchResult, type ResultFile, type RuntimeResult } from '@ssebench/contracts/result';
import type { RunSettings } from '@ssebench/contracts/run-settings';
import { Summary } from '@ssebench/contracts/summary';
import type { RunTask } from '../config/tasks.ts';
import type { RunRecord } from './record.ts';

/** What stands fixed from a run's start. */
export interface RunFacts {
  runId: string;
  startedAt: Date;
  task: Pick<RunTask, 'id' | 'config' | 'datasetVersion' | 'filesDigest' | 'tests'>;
  settings: RunSettings;
  version: string;
}

/** `result.json` of a run: the evaluator's grade where there is one, else why there is none. */
function resultOf({ settings }: RunFacts, record: RunRecord): ResultFile {
  return { patch_result: patchResult(record), runtime_result: runtimeResult(record), config: settings };
}

/** `summary.json` of a run. Parsed once more, so that what we write is what the schema says. */
export function summaryOf(facts: RunFacts, record: RunRecord, endedAt: Date): Summary {
  const { task } = facts;
  const { patch_result, runtime_result, config } = resultOf(facts, record);
  return Summary.parse({
    task: task.config,
    config,
    patch_result,
    runtime_result,
    spend: record.model?.spend ?? 0,
    run_id: facts.runId,
    started_at: microseconds(facts.startedAt),
    ended_at: microseconds(endedAt),
    outcome: {
      code: record.fault?.code ?? 'graded',
      fault: record.fault,
      grade: record.verdict ? null : record.graded,
    },
    model: record.model,
    checks: record.grade?.checks ?? [],
    integrity: record.grade?.integrity ?? null,
    tests: record.tests,
    capture: record.work?.capture ?? null,
    archive: record.work?.archive ?? null,
    snapshots: record.snapshots,
    phases: record.phases,
    images: record.images,
    limits: record.limits,
    engine: record.engine,
    versions: { ssebench: facts.version, node: process.versions.node, dataset: task.datasetVersion },
    task_files_sha256: task.filesDigest,
  });
}

function patchResult({ verdict, graded, grade, fault }: RunRecord): PatchResult {
  if (verdict) return verdict;
  // Source: spec/host §8.3, the rule of the model that never answered.
  if (graded && fault) {
    const said = graded.error_msg === null ? '' : `; grading said: ${graded.error_msg}`;
    return { ...graded, status: 'error', error_msg: `${errorMessage(fault)}${said}` };
  }
  const told = grade?.result?.patch_result;
  if (told && fault?.code === grade?.fault?.code) return told;
  return notGraded(fault ? errorMessage(fault) : 'No result: evaluator did not produce output');
}

function runtimeResult({ work, grade }: RunRecord): RuntimeResult {
  const told = grade?.result?.runtime_result;
  return {
    agent_duration: work ? Math.floor(work.agent.duration) : (told?.agent_duration ?? 0),
    agent_timeout: work?.agent.timed_out ?? told?.agent_timeout ?? false,
    evaluator_timeout: told?.evaluator_timeout ?? false,
    agent_exit_code: work ? work.agent.exit_code : (told?.agent_exit_code ?? null),
  };
}

/** ISO 8601 with microseconds, as readers of results expect them. */
function microseconds(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}

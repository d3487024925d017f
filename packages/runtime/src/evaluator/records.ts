import { join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import type { GradedCheck } from '@ssebench/contracts/grade';
import type { Integrity } from '@ssebench/contracts/integrity';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import type { EvaluatorResult } from '@ssebench/contracts/result';
import { writeFileAtomic } from '../system/atomic-file.ts';
import type { Graded } from './outcome.ts';
import type { AgentRuntime } from './settings.ts';

/** Writes `checks.json`: every check that ran so far. */
export async function writeChecks(results: string, checks: readonly GradedCheck[]): Promise<void> {
  const records: CheckRecord[] = checks.map(({ record }) => record);
  await writeFileAtomic(join(results, RESULT_FILE.checks), json(records));
}

/** Writes `integrity.json`. */
export async function writeIntegrity(results: string, integrity: Integrity): Promise<void> {
  await writeFileAtomic(join(results, RESULT_FILE.integrity), json(integrity));
}

/**
 * Writes the grade: `grade-fault.json` when there is none, `checks.json`, and `result.json` last, so that who sees it
 * sees the others.
 */
export async function writeGrade(
  results: string,
  { grade, checks, fault, timedOut }: Graded,
  agent: AgentRuntime,
): Promise<EvaluatorResult> {
  const result: EvaluatorResult = {
    patch_result: grade,
    runtime_result: {
      agent_duration: agent.agent_duration,
      agent_timeout: agent.agent_timeout,
      evaluator_timeout: timedOut,
      agent_exit_code: agent.agent_exit_code,
    },
  };
  if (fault) await writeFileAtomic(join(results, RESULT_FILE.gradeFault), json(fault));
  await writeChecks(results, checks);
  await writeFileAtomic(join(results, RESULT_FILE.grade), json(result));
  return result;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

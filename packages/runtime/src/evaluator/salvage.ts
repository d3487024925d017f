import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckRecord, ChecksFile } from '@ssebench/contracts/checks';
import type { GradedCheck } from '@ssebench/contracts/grade';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import { brokenGrade, type GradingFault } from './outcome.ts';
import { writeGrade } from './records.ts';
import { agentRuntime } from './settings.ts';

/** Whether the evaluator wrote its grade; the strict checks come after that. */
export function gradeIsWritten(results: string): boolean {
  return existsSync(join(results, RESULT_FILE.grade));
}

/**
 * Writes the grade that an evaluator which was lost could not write: from the checks that it left in `checks.json`.
 * `agent`: the evaluator's variables about the agent.
 */
export async function salvageGrade(results: string, cause: GradingFault, agent: NodeJS.ProcessEnv): Promise<void> {
  const checks = await Promise.all((await leftChecks(results)).map((record) => withOutput(results, record)));
  await writeGrade(results, brokenGrade(checks, null, cause), agentRuntime(agent));
}

async function leftChecks(results: string): Promise<CheckRecord[]> {
  const text = await readIfThere(join(results, RESULT_FILE.checks));
  return text === undefined ? [] : ChecksFile.parse(JSON.parse(text));
}

/** The check's log holds its output; the evaluator's own copy is gone. */
async function withOutput(results: string, record: CheckRecord): Promise<GradedCheck> {
  const output = record.log ? await readIfThere(join(results, record.log)) : undefined;
  return { record, output: output ?? '' };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Step } from './steps.ts';

export interface Tally {
  passed: number;
  failed: number;
}

/** What vitest's JSON reporter says about a whole run. */
const VitestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
});

/**
 * The tests that a vitest run counted. A run that failed without a failed test (a file that does not load, an error
 * outside any test, a run that was ended) counts as one failure.
 * @param report the text of the JSON report; undefined when there is none
 */
export function vitestTally(report: string | undefined, succeeded: boolean): Tally {
  if (report === undefined) return { passed: 0, failed: succeeded ? 0 : 1 };
  const { numPassedTests, numFailedTests } = VitestReport.parse(JSON.parse(report));
  return { passed: numPassedTests, failed: succeeded ? numFailedTests : Math.max(1, numFailedTests) };
}

/** Runs one step with its output on ours. Never throws because the step failed; ends within the step's limit. */
export async function runStep(root: string, step: Step): Promise<Tally> {
  const report = join(root, '.cache', 'vitest-report.json');
  mkdirSync(join(root, '.cache'), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [program = '', ...words] = step.command;
  const child = spawn(program, step.kind === 'vitest' ? [...words, ...reporters] : words, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: step.limitMinutes * 60_000,
  });
  const succeeded = await once(child, 'close').then(
    ([status]) => status === 0,
    (error: unknown) => {
      process.stderr.write(`${program} can't be started: ${String(error)}\n`);
      return false;
    },
  );
  if (step.kind === 'gate') return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1 };
  return vitestTally(readIfThere(report), succeeded);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

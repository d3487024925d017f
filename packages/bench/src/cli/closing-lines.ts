import type { CheckName } from '@ssebench/contracts/difficulty';
import type { PatchResult } from '@ssebench/contracts/result';

/** What the closing lines are made of. */
export interface Closing {
  patchResult: PatchResult;
  /** The checks that the task has. */
  checks: readonly CheckName[];
  /** The run's directory, absolute. */
  directory: string;
}

/** The three lines at the end of a run, whatever its grade. Source: spec/host §1.2. */
export function closingLines({ patchResult, checks, directory }: Closing): [string, string, string] {
  const { status, error_msg } = patchResult;
  const reason = status === 'error' && error_msg !== null ? ` (${oneLine(error_msg)})` : '';
  return [
    `Result: ${checks.map((check) => checkText(check, patchResult)).join(', ') || 'the task has no checks'}`,
    `Grade: ${status}${reason}`,
    `Run directory: ${directory}`,
  ];
}

function checkText(check: CheckName, result: PatchResult): string {
  switch (check) {
    case 'build':
      return `build ${outcome(result.build_success)}`;
    case 'poc':
      return result.pov_total === null ? 'PoC not run' : pocText(result.pov_passed ?? 0, result.pov_total);
    case 'function_test':
      return `functional tests ${outcome(result.func_test_success)}`;
    case 'intent_test':
      return `intent tests ${outcome(result.intent_test_success)}`;
  }
}

function pocText(passed: number, total: number): string {
  return `PoC ${passed}/${total} passed`;
}

function outcome(success: boolean | null): string {
  if (success === null) return 'not run';
  return success ? 'passed' : 'failed';
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}

import type { CheckName } from '@ssebench/contracts/difficulty';
import type { Integrity } from '@ssebench/contracts/integrity';
import type { PatchResult } from '@ssebench/contracts/result';

/** How many touched tests the line names. */
const MAX_NAMED = 3;

/** What the closing lines are made of. */
export interface Closing {
  patchResult: PatchResult;
  integrity: Integrity | null;
  /** The checks that the task has. */
  checks: readonly CheckName[];
  /** The run's directory, absolute. */
  directory: string;
}

/** The three lines at the end of a run, whatever its grade. Source: spec/host §1.2. */
export function closingLines({ patchResult, integrity, checks, directory }: Closing): [string, string, string] {
  const { status, error_msg } = patchResult;
  const reason = status === 'error' && error_msg !== null ? ` (${sentences(error_msg)})` : '';
  return [
    `Result: ${checks.map((check) => checkText(check, patchResult)).join(', ') || 'the task has no checks'}${strictText(integrity)}`,
    `Grade: ${status}${reason}`,
    `Run directory: ${directory}`,
  ];
}

/** Nothing where the strict tree was not needed. */
function strictText(integrity: Integrity | null): string {
  if (!integrity || integrity.strict.status === 'not_needed') return '';
  const { touched_tests, touched_tests_total, strict } = integrity;
  const named = touched_tests.slice(0, MAX_NAMED).map((path) => oneLine(path).replace(/\p{Cc}/gu, '?'));
  const more = touched_tests_total - named.length;
  const all = more > 0 ? [...named, `${more} more`] : named;
  return `, strict: ${strict.status} (touched tests: ${all.join(', ') || 'not known'})`;
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

/** Lines that say one thing after another are told apart: the second is often what to do about the first. */
function sentences(text: string): string {
  return oneLine(text.trim().replace(/(?<![.:;,!?\s])\s*\n/g, ';\n'));
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}

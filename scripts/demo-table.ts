import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PatchResult } from '@ssebench/contracts/result';
import { Summary } from '@ssebench/contracts/summary';
import Table from 'cli-table3';

/** One run of the demo: what it left, and the grade that it must have. */
export interface DemoRun {
  agent: string;
  directory: string;
  grade: PatchResult;
  expected: PatchResult['status'];
}

const CHECKED = (value: boolean | null): string => (value === null ? '–' : value ? 'passed' : 'failed');

function pocs({ pov_passed, pov_total }: PatchResult): string {
  return pov_total === null ? '–' : `${pov_passed ?? 0}/${pov_total} passed`;
}

/** The grades side by side, the run directories below, and a line for each grade that is not the expected one. */
export function demoReport(runs: readonly DemoRun[]): { text: string; asExpected: boolean } {
  const table = new Table({
    head: ['Agent', 'Build', 'PoC', 'Functional tests', 'Intent tests', 'Grade'],
    style: { head: [], border: [] },
  });
  for (const { agent, grade } of runs) {
    table.push([
      agent,
      CHECKED(grade.build_success),
      pocs(grade),
      CHECKED(grade.func_test_success),
      CHECKED(grade.intent_test_success),
      grade.status,
    ]);
  }
  const unexpected = runs.filter(({ grade, expected }) => grade.status !== expected);
  const lines = [
    table.toString(),
    '',
    ...runs.map(({ agent, directory }) => `Run directory (${agent}): ${directory}`),
    ...unexpected.map(({ agent, grade, expected }) => {
      const why = grade.error_msg ? ` (${grade.error_msg})` : '';
      return `Unexpected: the grade of ${agent} is ${grade.status}${why}, it must be ${expected}; see its run directory`;
    }),
  ];
  return { text: `${lines.join('\n')}\n`, asExpected: unexpected.length === 0 };
}

/**
 * A run of the demo, from its `summary.json`. The known fix must pass, no change at all must fail.
 * @throws when there is no summary or it is not one
 */
function readRun(directory: string): DemoRun {
  const summary = Summary.parse(JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8')));
  const expected = summary.config.reference_run ? 'passed' : 'failed';
  return { agent: summary.config.agent, directory, grade: summary.patch_result, expected };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { text, asExpected } = demoReport(process.argv.slice(2).map(readRun));
  process.stdout.write(text);
  process.exitCode = asExpected ? 0 : 1;
}

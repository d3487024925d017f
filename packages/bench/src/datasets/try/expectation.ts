import { basename } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import type { TaskConfig } from '@ssebench/contracts/task-config';
import type { TaskExpect } from '@ssebench/contracts/task-expect';
import { otherReason } from '../verify/weigh.ts';

/** The trees on which an author wants to see the scripts. */
export type Tree = 'vulnerable' | 'fixed';

/** One script that ran, as a person reads it. */
export interface Trial {
  /** `run.sh pocs/a`. */
  script: string;
  /** `exit 1 after 0.3 s`. */
  how: string;
  asExpected: boolean;
  /** What it must do, and why that matters when it does not. */
  verdict: string;
  record: CheckRecord;
}

/** What a check must come to on a tree of a sound task. Source: seeds/add-a-task, "Run it with the reference and dummy agents". */
function mustPass({ check }: CheckRecord, tree: Tree): boolean {
  return tree === 'fixed' || check === 'build' || check === 'function_test';
}

/** @param known what the task's author says of its output */
export function trialOf(
  record: CheckRecord,
  tree: Tree,
  known: { config: TaskConfig; expect: TaskExpect; output: (check: CheckRecord) => string | undefined },
): Trial {
  const { config } = known;
  const must = mustPass(record, tree);
  const reason = must ? undefined : otherReason(record, known);
  const asExpected = (record.outcome === 'passed') === must && reason === undefined;
  return {
    script: scriptText(record, config),
    how: howText(record),
    asExpected,
    verdict: asExpected
      ? 'as it must'
      : `UNEXPECTED: ${reason === undefined ? reproach(record, tree) : `it ${reason}`}`,
    record,
  };
}

function scriptText({ check, poc }: CheckRecord, { scripts }: TaskConfig): string {
  const script = { build: scripts.build, poc: scripts.run, function_test: scripts.test, intent_test: scripts.test }[
    check
  ];
  const name = basename(script ?? check);
  return poc === null ? name : `${name} ${poc.replace('/ssebench/', '')}`;
}

function howText({ exit_code: code, duration_ms: ms, outcome, reason }: CheckRecord): string {
  if (reason === 'hidden_tests_do_not_apply') return 'not run: the hidden tests do not apply';
  const end = outcome === 'check_timeout' ? 'out of time' : code === null ? 'ended by a signal' : `exit ${code}`;
  return `${end} after ${(ms / 1000).toFixed(1)} s`;
}

function reproach({ check }: CheckRecord, tree: Tree): string {
  if (tree === 'fixed') return check === 'poc' ? 'the bug still shows with the fix' : 'it must pass with the fix';
  if (check === 'poc') return 'it must fail: the bug does not show';
  if (check === 'intent_test') return 'it must fail: the hidden tests do not need the fix';
  return 'it must pass on the vulnerable tree';
}

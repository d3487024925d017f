import { posix } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import type { CheckName } from '@ssebench/contracts/difficulty';
import { isSolved } from '@ssebench/contracts/integrity';
import type { PatchResult } from '@ssebench/contracts/result';
import { checksOf, type TaskConfig } from '@ssebench/contracts/task-config';
import { CONTROL_KINDS, type TaskExpect } from '@ssebench/contracts/task-expect';
import type { Attempt } from './attempt.ts';
import type { Control } from './controls.ts';

/** `skip`: the build failed, so it did not run; `error`: it was not graded; `-`: the task has no such check. Source: spec/host §5.3. */
export type Cell = 'ok' | 'FAIL' | 'skip' | 'error' | '-';

export interface Weighed {
  cells: Record<CheckName, Cell>;
  /** Whole sentences without the task's name. */
  failures: string[];
}

type Outcome = Pick<Attempt, 'result' | 'strict' | 'checks'>;

/** What is known of the task beside the attempt. */
export interface Known {
  config: TaskConfig;
  expect: TaskExpect;
  /** The output of a check; undefined when its log is not there. */
  output: (check: CheckRecord) => string | undefined;
}

/** Compares what became of a control with what must become of it. Source: spec/host §5.3, issue of the datasets. */
export function weigh({ name, kind }: Control, attempt: Outcome, known: Known): Weighed {
  const has = checksOf(known.config);
  const { result, strict, checks } = attempt;
  if (!result || result.status === 'error' || checks.length === 0) {
    const words = result ? `: ${result.error_msg ?? 'no check ran'}` : ': it left no result; its log says why';
    return { cells: cells(has, () => 'error'), failures: [`${name} was not graded${words}`] };
  }
  const outcome = { ...attempt, result };
  if (kind === 'reference') return weighReference(has, outcome);
  if (kind === 'dummy') return weighDummy(has, outcome, known);
  const shown = cells(has, (check) => (passedOf(check, result) === null ? 'skip' : 'ok'));
  const solved = isSolved({ patch_result: result, integrity: strict && { strict: { status: strict } } });
  const failed = (check: CheckName) => passedOf(check, result) === false;
  const failures: string[] = [];
  const rule = `${name} ${CONTROL_KINDS[kind]}`;
  if (result.error_msg === 'Patch apply failed') failures.push(`${name} does not apply to the task's source`);
  else if (has.includes('build') && failed('build')) failures.push(`${name} does not build: it shows nothing`);
  else if (kind === 'alternative' && !solved)
    failures.push(`${rule}: ${result.error_msg ?? `the strict tree is ${strict}`}`);
  else if (kind === 'revert' && !failed('function_test') && !failed('intent_test'))
    failures.push(`${rule}: both passed, so the tests do not see that the feature is gone`);
  else if (kind === 'mask' && solved) failures.push(`${rule}: it passed, so a hidden crash counts as a fix`);
  return { cells: shown, failures };
}

function weighReference(has: readonly CheckName[], { result, strict }: Outcome & { result: PatchResult }): Weighed {
  const failures: string[] = [];
  const shown = cells(has, (check) => {
    const passed = passedOf(check, result);
    if (passed === true) return 'ok';
    if (passed === null && check !== 'build' && result.build_success === false) return 'skip';
    failures.push(`reference: ${WORDS[check]} ${passed === null ? 'did not run' : 'failed'}`);
    return 'FAIL';
  });
  if (failures.length === 0 && strict !== 'passed' && strict !== 'not_needed')
    failures.push(`reference: the strict tree is ${strict ?? 'not graded'}`);
  return { cells: shown, failures };
}

function weighDummy(
  has: readonly CheckName[],
  { result, checks }: Outcome & { result: PatchResult },
  known: Known,
): Weighed {
  const failures: string[] = [];
  const shown = cells(has, (check) => {
    const passed = passedOf(check, result);
    const must = check === 'build' || check === 'function_test';
    if (passed === null && result.build_success === false) return 'skip';
    const right = check === 'poc' ? result.pov_passed === 0 : passed === must;
    if (!right) failures.push(dummySentence(check, passed, result));
    return right ? 'ok' : 'FAIL';
  });
  const reasons = checks.flatMap((record) => {
    const reason = otherReason(record, known);
    return reason === undefined ? [] : [`dummy: ${pocOf(record)} ${reason}`];
  });
  if (reasons.length > 0) shown.poc = 'FAIL';
  return { cells: shown, failures: [...failures, ...reasons] };
}

function dummySentence(check: CheckName, passed: boolean | null, { pov_passed, pov_total }: PatchResult): string {
  if (check === 'poc' && passed !== null)
    return `dummy: ${pov_passed} of ${pov_total} PoCs do not show the bug on the vulnerable source`;
  if (check === 'intent_test' && passed) return 'dummy: the hidden tests pass without the fix';
  return `dummy: ${WORDS[check]} ${passed === null ? 'did not run' : 'failed on the vulnerable source'}`;
}

/** Why a PoC failed on the vulnerable source, if not for the bug. Statuses 126 and 127 are the shell's. */
export function otherReason(
  record: CheckRecord,
  { expect, output }: Pick<Known, 'expect' | 'output'>,
): string | undefined {
  if (record.check !== 'poc' || record.outcome === 'passed') return undefined;
  if (record.outcome === 'check_timeout') return 'ran out of time: a PoC ends a hang by itself';
  if (record.exit_code === 126 || record.exit_code === 127)
    return `failed for another reason than the bug: status ${record.exit_code}, a program that is not there`;
  // A config may write `./pocs/a`.
  const [, pattern] = Object.entries(expect.pocs).find(([path]) => posix.normalize(path) === pocOf(record)) ?? [];
  if (pattern === undefined) return undefined;
  const text = output(record);
  if (text === undefined) return 'left no output to be compared';
  if (new RegExp(pattern, 'mu').test(text)) return undefined;
  return `failed for another reason than the bug: its output has no ${JSON.stringify(pattern)}`;
}

/** Its path below `/ssebench`. */
function pocOf({ poc }: CheckRecord): string {
  return poc?.replace(/^\/ssebench\//, '') ?? '';
}

const WORDS: Record<CheckName, string> = {
  build: 'the build',
  poc: 'a PoC',
  function_test: 'the functional tests',
  intent_test: 'the hidden tests',
};

function passedOf(check: CheckName, result: PatchResult): boolean | null {
  if (check === 'build') return result.build_success;
  if (check === 'function_test') return result.func_test_success;
  if (check === 'intent_test') return result.intent_test_success;
  return result.pov_total === null ? null : result.pov_passed === result.pov_total;
}

function cells(has: readonly CheckName[], cell: (check: CheckName) => Cell): Record<CheckName, Cell> {
  const of = (check: CheckName): Cell => (has.includes(check) ? cell(check) : '-');
  return { build: of('build'), poc: of('poc'), function_test: of('function_test'), intent_test: of('intent_test') };
}

import type { CheckRecord } from '@ssebench/contracts/checks';
import { expect, test } from 'vitest';
import type { Attempt } from './attempt.ts';
import { flakesOf } from './flakes.ts';

function check(name: CheckRecord['check'], outcome: CheckRecord['outcome'], poc: string | null = null): CheckRecord {
  return { check: name, poc, outcome, exit_code: 0, duration_ms: 1, log: null, confirmed: false, reason: null };
}

function attempt(round: number, checks: CheckRecord[], more: Partial<Attempt> = {}): Attempt {
  const passed = checks.every(({ outcome }) => outcome === 'passed');
  return {
    ...{ dataset: 'set', task: 'leak-1', control: 'reference', round, together: round % 2 === 0 },
    ...{ files_sha256: 'a', version: '1', seconds: 1, exit_code: 0, run: 'r', strict: null, image: null, work: null },
    started_at: `2026-01-0${round}T00:00:00.000Z`,
    result: {
      ...{ status: passed ? 'passed' : 'failed', build_success: true, pov_passed: null, pov_total: null },
      ...{ func_test_success: null, intent_test_success: null, error_msg: null, error_log: null },
    },
    checks,
    ...more,
  };
}

test('a check that ended in two ways is flaky, with the times, and whether other runs went on', () => {
  const flakes = flakesOf([
    attempt(1, [check('build', 'passed'), check('function_test', 'passed')]),
    attempt(2, [check('build', 'passed'), check('function_test', 'check_timeout')]),
    attempt(3, [check('build', 'passed'), check('function_test', 'passed')]),
  ]);
  expect(flakes).toMatchObject([
    {
      ...{ task: 'leak-1', control: 'reference', check: 'function_test' },
      outcomes: { passed: 2, check_timeout: 1 },
      together: { check_timeout: 1 },
      ...{ first: '2026-01-01T00:00:00.000Z', last: '2026-01-03T00:00:00.000Z' },
    },
  ]);
});

test('the PoCs of a task are looked at one by one, and a check that did not run each time is flaky, too', () => {
  const flakes = flakesOf([
    attempt(1, [check('build', 'passed'), check('poc', 'passed', 'a'), check('poc', 'failed', 'b')]),
    attempt(2, [check('build', 'failed')]),
  ]);
  expect(flakes.map(({ check: name, poc, outcomes }) => [poc ?? name, outcomes])).toEqual([
    ['build', { passed: 1, failed: 1 }],
    ['a', { passed: 1, 'not run': 1 }],
    ['b', { failed: 1, 'not run': 1 }],
  ]);
});

test('other files, another version, another control, and runs without a grade are no flake', () => {
  const one = [check('build', 'passed')];
  const other = [check('build', 'failed')];
  const ungraded = attempt(4, other);
  expect(
    flakesOf([
      attempt(1, one),
      attempt(2, other, { files_sha256: 'b' }),
      attempt(3, other, { version: '2' }),
      attempt(3, other, { control: 'dummy' }),
      { ...ungraded, result: ungraded.result && { ...ungraded.result, status: 'error' } },
    ]),
  ).toEqual([]);
});

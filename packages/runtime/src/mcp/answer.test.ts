import type { Difficulty } from '@ssebench/contracts/difficulty';
import { expect, test } from 'vitest';
import { answerText } from './answer.ts';
import type { TestedCheck } from './patch-test.ts';

const passed = (check: TestedCheck['check'], detail?: string): TestedCheck => ({
  check,
  state: 'passed',
  ...(detail === undefined ? {} : { detail }),
});
const answer = (level: Difficulty, ...checks: TestedCheck[]) => answerText({ level, checks }, undefined);

test('the answer of a good tree at every level', () => {
  const [build, poc] = [passed('build'), passed('poc', '2 of 2')];
  const [intent, tests] = [passed('intent_test'), passed('function_test')];
  expect(answer(0, build, poc, intent, passed('function_test', 'covered by the intent tests'))).toBe(
    `test_patch result: every check passed.

Checks:
- build: passed
- PoCs: passed (2 of 2)
- intent tests: passed
- functional tests: passed (covered by the intent tests)`,
  );
  expect(answer(1, build, poc, tests)).toBe(
    `test_patch result: every check that ran passed.

Checks:
- build: passed
- PoCs: passed (2 of 2)
- functional tests: passed

Not available at difficulty level 1 (NO_INTENT_TEST): intent tests. Nothing is reported about them.`,
  );
  expect(answer(2, build, tests)).toBe(
    `test_patch result: every check that ran passed.

Checks:
- build: passed
- functional tests: passed

Not available at difficulty level 2 (NO_FUTURE_TEST): PoCs, intent tests. Nothing is reported about them. Without the PoCs, this result does not show whether the vulnerability is fixed.`,
  );
  expect(answer(3, build)).toBe(
    `test_patch result: every check that ran passed.

Checks:
- build: passed

Not available at difficulty level 3 (BUILD_ONLY): PoCs, intent tests, functional tests. Nothing is reported about them. Without the PoCs, this result does not show whether the vulnerability is fixed.`,
  );
  expect(answer(4)).toBe(
    `test_patch result: no checks ran.

Not available at difficulty level 4 (NO_BUILD): build, PoCs, intent tests, functional tests. Nothing is reported about them. test_patch has nothing to run at this level, so this result says nothing about your patch.`,
  );
});

test('of several failures the one that is named comes first in the order build, functional, PoCs, intent', () => {
  const text = answerText(
    {
      level: 0,
      checks: [
        passed('build'),
        { check: 'poc', state: 'failed', detail: 'passed 0 of 2; stopped at the first that still triggers the bug' },
        { check: 'intent_test', state: 'failed' },
        { check: 'function_test', state: 'failed' },
      ],
    },
    'Full log (functional tests):\nout',
  );
  expect(text).toBe(
    `test_patch result: FAILED. One or more functionality test(s) failed. Please reassess your patch and make sure it fixes the vulnerability without compromising the program's functionality.

Checks:
- build: passed
- PoCs: FAILED (passed 0 of 2; stopped at the first that still triggers the bug)
- intent tests: FAILED
- functional tests: FAILED

Full log (functional tests):
out`,
  );
});

test('a failure is followed by what is withheld, and by no word about what that means', () => {
  const failed: TestedCheck[] = [
    { check: 'build', state: 'failed' },
    { check: 'function_test', state: 'not_run', detail: 'the build failed' },
  ];
  expect(answerText({ level: 2, checks: failed }, 'Full log (build):\nx')).toBe(
    `test_patch result: FAILED. The project failed to build. Please reassess the correctness of your patch.

Checks:
- build: FAILED
- functional tests: not run (the build failed)

Not available at difficulty level 2 (NO_FUTURE_TEST): PoCs, intent tests. Nothing is reported about them.

Full log (build):
x`,
  );
});

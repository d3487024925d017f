import { type CheckName, DIFFICULTY_NAMES } from '@ssebench/contracts/difficulty';
import { isEnabled, type PatchTest, RUN_ORDER, type TestedCheck } from './patch-test.ts';

/** What a call answers when it could not be carried out. Its cause is in the server's log. Source: spec/runtime §9.2. */
export const INTERNAL_FAILURE = 'An internal testing failure occurred. Your patch is not responsible for this failure.';

export const CHECK_TITLES: Readonly<Record<CheckName, string>> = {
  build: 'build',
  poc: 'PoCs',
  intent_test: 'intent tests',
  function_test: 'functional tests',
};

const STATES = { passed: 'passed', failed: 'FAILED', not_run: 'not run' } as const;

/** In the order in which the first failed one is the reason. */
const REASONS: readonly (readonly [CheckName, string])[] = [
  ['build', 'The project failed to build. Please reassess the correctness of your patch.'],
  [
    'function_test',
    "One or more functionality test(s) failed. Please reassess your patch and make sure it fixes the vulnerability without compromising the program's functionality.",
  ],
  [
    'poc',
    'At least one proof-of-concept (PoC) still triggers the vulnerability. Please reassess your patch and make sure it fixes the root cause of the vulnerability.',
  ],
  [
    'intent_test',
    'One or more intent test(s) failed. These tests validate behavior after the vulnerability fix. Please reassess your patch to ensure it correctly addresses the vulnerability and aligns with common patterns in the project.',
  ],
];

/** The failed check that the answer names, and whose log it shows; undefined when none failed. */
export function namedFailure({ checks }: PatchTest): (TestedCheck & { reason: string }) | undefined {
  for (const [name, reason] of REASONS) {
    const failed = checks.find(({ check, state }) => check === name && state === 'failed');
    if (failed) return { ...failed, reason };
  }
  return undefined;
}

/** The text that `test_patch` answers. `log`: the section of the named failure's. Source: spec/runtime §9.2. */
export function answerText(test: PatchTest, log: string | undefined): string {
  return [headline(test), checkList(test), withheldNote(test), log]
    .filter((section) => section !== undefined)
    .join('\n\n');
}

function headline(test: PatchTest): string {
  const failure = namedFailure(test);
  if (failure) return `test_patch result: FAILED. ${failure.reason}`;
  if (ranNothing(test)) return 'test_patch result: no checks ran.';
  return withheld(test).length > 0
    ? 'test_patch result: every check that ran passed.'
    : 'test_patch result: every check passed.';
}

function checkList({ checks }: PatchTest): string | undefined {
  if (checks.length === 0) return undefined;
  const lines = checks.map(({ check, state, detail }) => {
    return `- ${CHECK_TITLES[check]}: ${STATES[state]}${detail === undefined ? '' : ` (${detail})`}`;
  });
  return ['Checks:', ...lines].join('\n');
}

function withheldNote(test: PatchTest): string | undefined {
  const checks = withheld(test);
  if (checks.length === 0) return undefined;
  const names = checks.map((check) => CHECK_TITLES[check]).join(', ');
  const { level } = test;
  const note = `Not available at difficulty level ${level} (${DIFFICULTY_NAMES[level]}): ${names}. Nothing is reported about them.`;
  if (namedFailure(test)) return note;
  if (ranNothing(test))
    return `${note} test_patch has nothing to run at this level, so this result says nothing about your patch.`;
  if (checks.includes('poc'))
    return `${note} Without the PoCs, this result does not show whether the vulnerability is fixed.`;
  return note;
}

function withheld({ level }: PatchTest): CheckName[] {
  return RUN_ORDER.filter((check) => !isEnabled(check, level));
}

function ranNothing({ checks }: PatchTest): boolean {
  return checks.every(({ state }) => state === 'not_run');
}

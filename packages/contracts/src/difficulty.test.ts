import { expect, test } from 'vitest';
import { BENCHER_ACTIONS, isAllowed, parseDifficulty } from './difficulty.ts';

test('each level allows what the difficulty table says', () => {
  const allowed = [0, 1, 2, 3, 4].map((level) => BENCHER_ACTIONS.filter((action) => isAllowed(action, level)));
  expect(allowed).toEqual([
    ['build', 'run_poc', 'function_test', 'intent_test'],
    ['build', 'run_poc', 'function_test'],
    ['build', 'function_test'],
    ['build'],
    [],
  ]);
});

test('unset means level 2, and nothing but 0 to 4 is a level', () => {
  expect(parseDifficulty(undefined)).toBe(2);
  expect(parseDifficulty('0')).toBe(0);
  for (const value of ['', '5', '-1', '2.0', ' 2', 'two']) expect(() => parseDifficulty(value)).toThrow(RangeError);
});

import { expect, test } from 'vitest';
import { isSolved, STRICT_STATUSES } from './integrity.ts';

const grades = (status: 'passed' | 'failed' | 'error', strict: (typeof STRICT_STATUSES)[number]) => ({
  patch_result: { status },
  integrity: { strict: { status: strict } },
});

test('a passed patch solves its task only when the strict tree passes or is not needed', () => {
  expect(STRICT_STATUSES.filter((strict) => isSolved(grades('passed', strict)))).toEqual(['passed', 'not_needed']);
});

test('a patch that did not pass solves nothing, whatever the strict tree says', () => {
  for (const strict of STRICT_STATUSES) {
    expect(isSolved(grades('failed', strict))).toBe(false);
    expect(isSolved(grades('error', strict))).toBe(false);
  }
});

test('a run without an integrity record is not solved', () => {
  expect(isSolved({ patch_result: { status: 'passed' }, integrity: null })).toBe(false);
});

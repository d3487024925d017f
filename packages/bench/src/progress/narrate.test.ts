import { expect, test } from 'vitest';
import { duration, narrate } from './narrate.ts';

const at = '2026-01-01T00:00:00Z';

test('durations read as a person would write them', () => {
  expect([0, 9_340, 60_000, 125_900, 3_723_000].map(duration)).toEqual([
    '0.0 s',
    '9.3 s',
    '1 min 00 s',
    '2 min 05 s',
    '1 h 02 min',
  ]);
});

test('a check that the agent asked for is told apart from one of the grade', () => {
  const check = { type: 'check_started', at, check: 'poc', poc: '/ssebench/pocs/a.ini' } as const;
  expect(narrate({ ...check, grading: true })).toEqual({ kind: 'now', text: 'PoC a.ini' });
  expect(narrate({ ...check, grading: true, strict: true })).toEqual({ kind: 'now', text: 'strict tree: PoC a.ini' });
  expect(narrate({ type: 'strict_ended', at, status: 'failed' })).toEqual({
    kind: 'ended',
    text: 'strict tree: failed',
  });
  expect(narrate({ ...check, grading: false })).toEqual({ kind: 'now', text: 'test_patch: PoC a.ini' });
});

test('a check that hit its limit is said to be out of time', () => {
  const event = {
    type: 'check_ended',
    at,
    check: 'function_test',
    poc: null,
    grading: true,
    outcome: 'check_timeout',
    duration_ms: 1500,
    log: null,
  } as const;
  expect(narrate(event)).toEqual({ kind: 'ended', text: 'functional tests out of time (1.5 s)' });
});

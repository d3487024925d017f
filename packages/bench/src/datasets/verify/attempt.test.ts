import { expect, test } from 'vitest';
import { type Attempt, thatCount } from './attempt.ts';

function attempt(control: string, run: string, more: Partial<Attempt> = {}): Attempt {
  return {
    ...{ dataset: 'set', task: 'leak-1', control, round: 1, together: false, files_sha256: 'a', version: '1', run },
    ...{ started_at: '2026-01-01T00:00:00.000Z', seconds: 1, exit_code: 0, result: null, strict: null, checks: [] },
    ...{ image: null, work: null },
    ...more,
  };
}

test('what was tried before a control was tried anew no longer counts, whatever the others are at', () => {
  const all = [
    attempt('reference', '1'),
    attempt('dummy', '2'),
    attempt('reference', '3', { anew: true }),
    attempt('reference', '4', { round: 2 }),
  ];
  expect(thatCount(all).map(({ run }) => run)).toEqual(['2', '3', '4']);
  expect(thatCount([...all, attempt('dummy', '5', { anew: true })]).map(({ run }) => run)).toEqual(['3', '4', '5']);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PlainProgress } from './plain-progress.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a step that takes long is told while it goes on, and no longer', () => {
  const lines: string[] = [];
  const progress = new PlainProgress((line) => lines.push(line.replace(/^ *[\d.]+s {2}/, '')));
  progress.step('pulling it');
  vi.advanceTimersByTime(45_000);
  progress.done(false);
  progress.step('building it');
  vi.advanceTimersByTime(10_000);
  progress.done(true);
  progress.step('looking for it');
  progress.phase('agent');
  progress.step('grading it');
  progress.close();
  vi.advanceTimersByTime(100_000);
  expect(lines).toEqual(['pulling it …\n', 'pulling it …\n', 'pulling it: 45.0 s\n', 'agent\n']);
});

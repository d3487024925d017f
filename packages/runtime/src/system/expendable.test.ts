import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expendable } from './expendable.ts';

const own = () => readFileSync('/proc/self/oom_score_adj', 'utf8');

test('a process and all that it starts end before ours, and we stay where we were', () => {
  const before = own();
  const text = expendable(() =>
    execFileSync('/bin/sh', ['-c', '(cat /proc/self/oom_score_adj)'], { encoding: 'utf8' }),
  );
  expect(text).toBe('600\n');
  expect(own()).toBe(before);
});

test('one that can not be started leaves us where we were, too', () => {
  const before = own();
  expect(expendable(() => spawnSync('/no/such/program').error)).toBeDefined();
  expect(own()).toBe(before);
});

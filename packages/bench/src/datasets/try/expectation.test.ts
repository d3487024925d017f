import type { CheckRecord } from '@ssebench/contracts/checks';
import { TaskConfig } from '@ssebench/contracts/task-config';
import { TaskExpect } from '@ssebench/contracts/task-expect';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CONFIG } from '../../cli/test-cli.ts';
import { type Tree, trialOf } from './expectation.ts';

const config = TaskConfig.parse(parse(CONFIG));
const EXPECT = TaskExpect.parse({
  pocs: { 'pocs/a': 'heap-buffer-overflow', 'pocs/b': 'stack-overflow', './pocs/c': 'stack-overflow' },
});

function verdict(
  tree: Tree,
  check: CheckRecord['check'],
  outcome: CheckRecord['outcome'],
  more: Partial<CheckRecord> = {},
) {
  const record: CheckRecord = {
    check,
    poc: null,
    outcome,
    exit_code: outcome === 'passed' ? 0 : 1,
    duration_ms: 1234,
    log: null,
    confirmed: false,
    reason: null,
    ...more,
  };
  const known = { config, expect: EXPECT, output: () => 'ERROR: AddressSanitizer: heap-buffer-overflow' };
  const { script, how, verdict } = trialOf(record, tree, known);
  return [script, how, verdict].join(': ');
}

test('a sound task builds and passes its tests without the fix, and everything with it', () => {
  expect(verdict('vulnerable', 'build', 'passed')).toBe('build.sh: exit 0 after 1.2 s: as it must');
  expect(verdict('vulnerable', 'poc', 'failed', { poc: '/ssebench/pocs/a' })).toBe(
    'run.sh pocs/a: exit 1 after 1.2 s: as it must',
  );
  expect(verdict('vulnerable', 'function_test', 'passed')).toMatch(/as it must$/);
  expect(verdict('vulnerable', 'intent_test', 'failed')).toMatch(/as it must$/);
  for (const check of ['build', 'poc', 'function_test', 'intent_test'] as const) {
    expect(verdict('fixed', check, 'passed')).toMatch(/as it must$/);
  }
});

test.each<[Tree, CheckRecord['check'], CheckRecord['outcome'], Partial<CheckRecord>, string]>([
  ['vulnerable', 'build', 'failed', {}, 'exit 1 after 1.2 s: UNEXPECTED: it must pass on the vulnerable tree'],
  ['vulnerable', 'poc', 'passed', {}, 'exit 0 after 1.2 s: UNEXPECTED: it must fail: the bug does not show'],
  [
    'vulnerable',
    'poc',
    'failed',
    { poc: '/ssebench/pocs/b' },
    'exit 1 after 1.2 s: UNEXPECTED: it failed for another reason than the bug: its output has no "stack-overflow"',
  ],
  ['vulnerable', 'poc', 'failed', { poc: '/ssebench/pocs/c' }, 'its output has no "stack-overflow"'],
  [
    'vulnerable',
    'poc',
    'failed',
    { exit_code: 127 },
    'UNEXPECTED: it failed for another reason than the bug: status 127, a program that is not there',
  ],
  ['vulnerable', 'intent_test', 'passed', {}, 'UNEXPECTED: it must fail: the hidden tests do not need the fix'],
  [
    'fixed',
    'poc',
    'failed',
    { exit_code: null },
    'ended by a signal after 1.2 s: UNEXPECTED: the bug still shows with the fix',
  ],
  ['fixed', 'function_test', 'check_timeout', {}, 'out of time after 1.2 s: UNEXPECTED: it must pass with the fix'],
  [
    'fixed',
    'intent_test',
    'failed',
    { reason: 'hidden_tests_do_not_apply' },
    'not run: the hidden tests do not apply: UNEXPECTED: it must pass with the fix',
  ],
])('on the %s tree, %s that %s is unexpected', (tree, check, outcome, more, text) => {
  expect(verdict(tree, check, outcome, more)).toContain(text);
});

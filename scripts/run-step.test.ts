import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runStep, vitestTally } from './run-step.ts';

const root = mkdtempSync(join(tmpdir(), 'run-step-'));
afterAll(() => rmSync(root, { recursive: true }));

test('a gate counts as one test, by its exit status', async () => {
  const gate = (code: string) =>
    runStep(root, { name: 'gate', kind: 'gate', command: ['node', '-e', code], limitMinutes: 1 });
  expect(await gate('')).toEqual({ passed: 1, failed: 0 });
  expect(await gate('process.exit(3)')).toEqual({ passed: 0, failed: 1 });
});

test('a gate that does not end is ended at its limit and has failed', async () => {
  const command = ['node', '-e', 'setInterval(() => {}, 1000)'];
  expect(await runStep(root, { name: 'hangs', kind: 'gate', command, limitMinutes: 0.005 })).toEqual({
    passed: 0,
    failed: 1,
  });
});

test('a program that is not there is a failure, and the steps after it still run', async () => {
  const step = { name: 'absent', kind: 'gate', command: ['no-such-program'], limitMinutes: 1 } as const;
  expect(await runStep(root, step)).toEqual({ passed: 0, failed: 1 });
});

test('a vitest run counts the tests that it reports', () => {
  expect(vitestTally('{"numPassedTests": 4, "numFailedTests": 0}', true)).toEqual({ passed: 4, failed: 0 });
  expect(vitestTally('{"numPassedTests": 4, "numFailedTests": 2}', false)).toEqual({ passed: 4, failed: 2 });
});

test('a vitest run that fails without a failed test is one failure, so no broken test file goes unseen', () => {
  expect(vitestTally('{"numPassedTests": 4, "numFailedTests": 0}', false)).toEqual({ passed: 4, failed: 1 });
  expect(vitestTally(undefined, false)).toEqual({ passed: 0, failed: 1 });
});

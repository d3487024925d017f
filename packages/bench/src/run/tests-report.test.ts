import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import type { TaskTests } from '@ssebench/contracts/task-expect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { missingTestsText, testsReport } from './tests-report.ts';

const TESTS: TaskTests = {
  names: 'tap',
  recorded: { function_test: ['opens', 'reads', 'writes'], intent_test: ['opens', 'refuses'] },
};

let directory: { grade: string; work: string };

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'ssebench-tests-'));
  directory = { grade: join(root, 'grade'), work: join(root, 'work') };
  for (const path of Object.values(directory)) mkdirSync(path);
});

afterEach(() => rmSync(join(directory.grade, '..'), { recursive: true }));

function check(name: CheckRecord['check'], output: string, more: Partial<CheckRecord> = {}): CheckRecord {
  writeFileSync(join(directory.grade, `${name}.log`), output);
  const record = { outcome: 'passed', exit_code: 0, duration_ms: 1, confirmed: false, reason: null } as const;
  return { check: name, poc: null, log: `${name}.log`, ...record, ...more };
}

test('tests that were recorded and did not run are named', async () => {
  const checks = [check('function_test', 'ok 1 - opens\n'), check('intent_test', 'ok 1 - opens\nok 2 - refuses\n')];
  const report = await testsReport(directory, TESTS, checks);
  expect(report).toEqual({
    function_test: { recorded: 3, missing: ['reads', 'writes'], missing_total: 2 },
    intent_test: { recorded: 2, missing: [], missing_total: 0 },
  });
  expect(missingTestsText(report)).toEqual(['function_test: 2 of 3 recorded tests did not run: reads, writes']);
});

test('a check that failed and an output that is cut tell nothing', async () => {
  const failed = check('function_test', '', { outcome: 'failed' });
  const cut = check('intent_test', 'ok 1 - opens\n[… 7 bytes left out …]\nok 3 - closes\n');
  expect(await testsReport(directory, TESTS, [failed, cut])).toEqual({ function_test: null, intent_test: null });
  expect(missingTestsText({ function_test: null, intent_test: null })).toEqual([]);
});

test('a task without recorded tests has no report', async () => {
  expect(await testsReport(directory, null, [check('function_test', 'ok 1 - opens\n')])).toBeNull();
});

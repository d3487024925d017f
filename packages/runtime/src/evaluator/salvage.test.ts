import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckRecord } from '@ssebench/contracts/checks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gradingTimedOut } from './outcome.ts';
import { salvageGrade } from './salvage.ts';

let results: string;

beforeEach(() => {
  results = mkdtempSync(join(tmpdir(), 'salvage-'));
});

afterEach(() => rmSync(results, { recursive: true }));

const passed: CheckRecord = {
  check: 'build',
  poc: null,
  outcome: 'passed',
  exit_code: 0,
  duration_ms: 1,
  log: 'b.log',
  confirmed: false,
  reason: null,
};
const failed: CheckRecord = {
  ...passed,
  check: 'poc',
  poc: '/ssebench/pocs/a',
  outcome: 'failed',
  exit_code: 1,
  log: 'p.log',
};

async function salvaged(): Promise<{ result: unknown; read: (name: string) => unknown }> {
  await salvageGrade(results, gradingTimedOut(60), { AGENT_DURATION: '3', AGENT_EXIT_STATUS: '1' });
  const read = (name: string) => JSON.parse(readFileSync(join(results, name), 'utf8'));
  return { result: read('result.json'), read };
}

test('a check that had failed makes the grade, with the output that its log holds', async () => {
  writeFileSync(join(results, 'checks.json'), JSON.stringify([passed, failed]));
  writeFileSync(join(results, 'p.log'), 'panic');
  const { result, read } = await salvaged();
  expect(result).toMatchObject({
    patch_result: {
      status: 'failed',
      build_success: true,
      pov_passed: 0,
      error_msg: 'PoC failed: /ssebench/pocs/a',
      error_log: 'panic',
    },
    runtime_result: { agent_duration: 3, agent_timeout: false, evaluator_timeout: true, agent_exit_code: 1 },
  });
  expect(read('checks.json')).toEqual([passed, failed]);
  expect(() => read('grade-fault.json')).toThrow('ENOENT');
});

test.for([
  ['no check', undefined],
  ['only passed checks', [passed]],
] as const)('%s is no grade', async ([, checks]) => {
  if (checks) writeFileSync(join(results, 'checks.json'), JSON.stringify(checks));
  const { result, read } = await salvaged();
  expect(result).toMatchObject({ patch_result: { status: 'error', build_success: null, error_msg: 'Timeout (60s)' } });
  expect(read('grade-fault.json')).toMatchObject({ code: 'grading_timeout', blame: 'infra' });
});

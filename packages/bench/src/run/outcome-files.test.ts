import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault } from '@ssebench/contracts/faults';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readGradeOutcome, readRegularFile, readWorkOutcome } from './outcome-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ssebench-outcome-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('a grade container without a result is a fault of the machinery', async () => {
  expect(await readGradeOutcome(directory)).toMatchObject({
    result: undefined,
    fault: { code: 'no_result', blame: 'infra' },
  });
});

const passed = {
  check: 'build',
  poc: null,
  outcome: 'passed',
  exit_code: 0,
  duration_ms: 1,
  log: null,
  confirmed: false,
  reason: null,
};
const failed = { ...passed, check: 'poc', poc: 'pocs/a', outcome: 'failed', exit_code: 1, log: 'scriptrunner-1.log' };

test('a check that failed before the grade container was lost makes the grade failed', async () => {
  await writeFile(join(directory, 'checks.json'), JSON.stringify([passed, failed]));
  await writeFile(join(directory, 'scriptrunner-1.log'), 'it crashed');
  await writeFile(join(directory, 'grade-fault.json'), JSON.stringify(fault('grading_failed', 'x')));
  expect(await readGradeOutcome(directory)).toMatchObject({
    result: {
      patch_result: {
        status: 'failed',
        build_success: true,
        pov_passed: 0,
        error_msg: 'PoC failed: pocs/a',
        error_log: 'it crashed',
      },
    },
    fault: null,
  });
});

test('checks that passed are no grade as long as the others are missing', async () => {
  await writeFile(join(directory, 'checks.json'), JSON.stringify([passed]));
  expect(await readGradeOutcome(directory)).toMatchObject({ result: undefined, fault: { code: 'no_result' } });
});

test('a result that is no valid document counts as none', async () => {
  await writeFile(join(directory, 'result.json'), '{"patch_result":{"status":"passed"}}');
  expect((await readGradeOutcome(directory)).result).toBeUndefined();
});

test('a link, a FIFO and a file that is too large are never read', async () => {
  await writeFile(join(directory, 'secret'), 'x'.repeat(100));
  await symlink('secret', join(directory, 'link'));
  execFileSync('mkfifo', [join(directory, 'fifo')]);
  expect(await readRegularFile(join(directory, 'link'), 1000)).toBeUndefined();
  expect(await readRegularFile(join(directory, 'fifo'), 1000)).toBeUndefined();
  expect(await readRegularFile(join(directory, 'secret'), 99)).toBeUndefined();
  expect(await readRegularFile(join(directory, 'secret'), 100)).toHaveLength(100);
});

test('no work.json is no outcome', async () => {
  expect(await readWorkOutcome(directory)).toBeUndefined();
});

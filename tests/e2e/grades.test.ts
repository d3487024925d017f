import { readdirSync } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { loadTask } from '@ssebench/bench/config/tasks';
import { checksOf } from '@ssebench/contracts/task-config';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHECKOUT } from './support/command.ts';
import { containersOf } from './support/leftovers.ts';
import { runDirectory, summaryIn, Workspace } from './support/workspace.ts';

const everything = process.env['SSEBENCH_TEST_ALL'] === '1';
/** One task per language; what is special about the others is in `datasets/starter/README.md`. */
const QUICK = ['beacon-slice-bounds', 'iniq-heap-overflow', 'lzpack-overflow-panic'];
const datasets = everything ? ['starter', 'disclosed'] : ['starter'];
const cases = datasets.flatMap((dataset) =>
  (everything ? tasksOf(dataset) : QUICK).flatMap((task, index) => {
    const modes = everything || index === 0 ? (['separate', 'same'] as const) : (['separate'] as const);
    return modes.map((grading) => ({ dataset, task, grading }));
  }),
);

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create();
});
afterAll(() => workspace[Symbol.asyncDispose]());

describe.each(cases)('$dataset/$task, grading $grading', ({ dataset, task, grading }) => {
  const checks = checksOf(loadTask(join(CHECKOUT, 'datasets', dataset), task).config);
  const common = ['--local', join(CHECKOUT, 'datasets', dataset), '--task', task, '--grading', grading];

  test('the reference patch passes every check', async () => {
    const end = await workspace.run(
      'run',
      ...common,
      '--agent',
      'reference',
      '--require-pass',
      '--run-id',
      `reference-${grading}`,
    );
    const [result, ...rest] = end.stdout.split('\n');
    expect(result?.replace(/PoC (\d+)\/\1 passed/, 'PoC passed'), end.stderr).toBe(
      `Result: ${checks.map((check) => `${WORDS[check]} passed`).join(', ')}`,
    );
    expect(rest).toEqual(['Grade: passed', expect.stringMatching(/^Run directory: \/./), '']);
    expect(end.status).toBe(0);
    const summary = await summaryIn(runDirectory(end));
    expect(summary.config).toMatchObject({ agent: 'reference', model: 'none', reference_run: true, grading });
    expect(summary.outcome).toMatchObject({ code: 'graded', fault: null });
    expect(summary.integrity?.strict.status).toBe('not_needed');
  });

  test('doing nothing builds, passes the own tests and fails what shows the vulnerability', async () => {
    const runId = `dummy-${grading}`;
    const end = await workspace.run(
      'run',
      ...common,
      '--agent',
      'dummy',
      '--model',
      'claude-sonnet-4-6',
      '--run-id',
      runId,
    );
    expect(end.status, end.stderr).toBe(0);
    const directory = runDirectory(end);
    const { patch_result, capture } = await summaryIn(directory);
    expect(patch_result).toMatchObject({
      status: 'failed',
      build_success: true,
      pov_passed: checks.includes('poc') ? 0 : null,
      func_test_success: true,
      intent_test_success: checks.includes('intent_test') ? false : null,
    });
    expect(patch_result.error_msg).toMatch(
      checks.includes('poc') ? /^PoC failed: \/ssebench\/pocs\// : /^Intent test failed$/,
    );
    expect(patch_result.error_log?.trim()).toBeTruthy();
    expect(capture?.patch_bytes).toBe(0);
    await expectResultFiles(directory);
    expect(await containersOf(runId)).toEqual([]);
  });
});

const WORDS = { build: 'build', poc: 'PoC', function_test: 'functional tests', intent_test: 'intent tests' };

/** The layout of seeds/results-format, and nothing beside it but what is ours and documented. */
async function expectResultFiles(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => !/^(?:scriptrunner|patch)-\d+(?:-\d+)?\.log$/.test(name));
  expect(names.sort()).toEqual(
    [
      'agent.log',
      'archive',
      'checks.json',
      'commits.log',
      'daemon.log',
      'evaluator.log',
      'final.patch',
      'mcp.log',
      'opencode.log',
      'reference.patch',
      'result.json',
      'source.tar.gz',
      'summary.json',
    ].sort(),
  );
  expect((await stat(join(directory, 'source.tar.gz'))).size).toBeGreaterThan(0);
  expect(await readlink(join(directory, '../latest'))).toBe(directory.split('/').at(-1));
}

function tasksOf(dataset: string): string[] {
  return readdirSync(join(CHECKOUT, 'datasets', dataset), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

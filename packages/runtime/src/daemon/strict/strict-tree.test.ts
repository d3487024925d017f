import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { GradingPreparation, ScriptResult } from '@ssebench/contracts/daemon-api';
import { describe, expect, test } from 'vitest';
import { IS_ROOT, TestDaemon, type TestDaemonOptions } from '../test-daemon.ts';

const newFile = (path: string, line: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${line}\n`;
const FIX = 'diff --git a/program.txt b/program.txt\n--- a/program.txt\n+++ b/program.txt\n@@ -1 +1 @@\n-bug\n+fixed\n';
const MAKEFILE =
  'diff --git a/Makefile b/Makefile\n--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n-check: all the tests\n+check: nothing\n';
const HIDDEN = newFile('tests/hidden.sh', 'grep -q fixed program.txt');

/** The build and the tests print what their tree holds; the hidden tests are a new file. */
const SHOW =
  '#!/bin/sh\ncat Makefile GNUmakefile extra.txt tests/*.sh 2>&1 | grep -v "No such"\nfor t in tests/*.sh; do sh $t || exit 1; done\n';
const PROJECT: TestDaemonOptions = {
  source: { 'program.txt': 'bug\n', Makefile: 'check: all the tests\n', 'tests/own.sh': 'test -f program.txt\n' },
  task: {
    'scripts/build.sh': SHOW,
    'scripts/test.sh': SHOW,
    'diffs/test.diff': HIDDEN,
    'diffs/patch.diff': FIX,
  },
};

async function preparedFor(patch: string, more: TestDaemonOptions = {}) {
  const daemon = await TestDaemon.start({ ...PROJECT, given: patch, ...more });
  const preparation = (await daemon.admin('/prepare_grading', {})).json as GradingPreparation;
  const run = async (action: string, body: object = {}) => (await daemon.graded(action, body)).json as ScriptResult;
  return { daemon, preparation, run };
}

describe.runIf(IS_ROOT)('the strict tree', () => {
  test('a patch of sources alone touches no tests', async () => {
    const { daemon, preparation } = await preparedFor(FIX);
    await using _ = daemon;
    expect(preparation).toEqual({
      success: true,
      touched_tests: [],
      touched_tests_total: 0,
      put_back: 0,
      unknown: null,
    });
  });

  test('checks run in the tree as the patch left it, and strict ones in the same with its own tests and without new ones', async () => {
    const { daemon, preparation, run } = await preparedFor(
      FIX + MAKEFILE + newFile('GNUmakefile', 'takes over') + newFile('extra.txt', 'a source'),
    );
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests: ['Makefile', 'GNUmakefile'], put_back: 2, unknown: null });
    expect((await run('function_test')).stdout).toBe('check: nothing\ntakes over\na source\ntest -f program.txt\n');
    const own = 'check: all the tests\na source\ntest -f program.txt\n';
    expect(await run('build', { strict: true })).toMatchObject({ code: 0, build: null, stdout: own });
    expect(await run('function_test', { strict: true })).toMatchObject({ code: 0, stdout: own });
    const hidden = own.replace('test -f', 'grep -q fixed program.txt\ntest -f');
    expect(await run('intent_test', { strict: true })).toMatchObject({ code: 0, stdout: hidden });
  });

  test('it stands where the graded tree was, for scripts that name that by its absolute path', async () => {
    const { daemon, run } = await preparedFor(MAKEFILE);
    await using _ = daemon;
    await run('function_test', { strict: true });
    expect(readFileSync(daemon.path('repo/Makefile'), 'utf8')).toBe('check: all the tests\n');
  });

  test('after a strict check no other one runs', async () => {
    const { daemon, run } = await preparedFor(MAKEFILE);
    await using _ = daemon;
    await run('build');
    await run('function_test', { strict: true });
    for (const [action, body] of [
      ['build', {}],
      ['function_test', {}],
      ['run_poc', { poc: 'pocs/poc.txt' }],
    ] as const) {
      expect(await run(action, body)).toMatchObject({ code: 'invalid_request' });
    }
    expect(await run('function_test', { strict: true })).toMatchObject({ code: 0 });
  });

  test('what the reference patch touches stays as the patch left it', async () => {
    const { daemon, preparation, run } = await preparedFor(MAKEFILE + newFile('GNUmakefile', 'takes over'), {
      task: { ...PROJECT.task, 'diffs/patch.diff': `${FIX}${MAKEFILE.replace('nothing', 'more')}` },
    });
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests: ['Makefile', 'GNUmakefile'], put_back: 1 });
    expect((await run('function_test', { strict: true })).stdout).toBe('check: nothing\ntest -f program.txt\n');
  });

  test('a reference patch that can not be read leaves the grade alone and the strict tree unknown', async () => {
    const { daemon, preparation, run } = await preparedFor(FIX + MAKEFILE, {
      task: { ...PROJECT.task, 'diffs/patch.diff': 'nonsense\n' },
    });
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests: ['Makefile'], unknown: expect.stringContaining('git apply') });
    expect(await run('intent_test')).toMatchObject({ code: 0 });
    expect(await run('intent_test', { strict: true })).toMatchObject({ code: 'internal' });
  });

  test('hidden tests go in place of tests of the same name that the patch brings, and only of these', async () => {
    const { daemon, preparation, run } = await preparedFor(
      FIX + newFile('tests/hidden.sh', 'exit 0') + newFile('tests/more.sh', 'exit 0 # more'),
    );
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests: ['tests/hidden.sh', 'tests/more.sh'] });
    const graded = await run('intent_test');
    expect(graded).toMatchObject({ code: 0 });
    expect(graded.stdout).toContain('grep -q fixed program.txt\nexit 0 # more\n');
    const strict = await run('intent_test', { strict: true });
    expect(strict).toMatchObject({ code: 0 });
    expect(strict.stdout).not.toContain('# more');
  });

  test('hidden tests under names of any kind are tests when the patch adds them, too', async () => {
    const { daemon, preparation, run } = await preparedFor(FIX + newFile('bounds.txt', 'mine'), {
      task: { ...PROJECT.task, 'diffs/test.diff': newFile('bounds.txt', 'theirs') },
    });
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests: ['bounds.txt'], put_back: 1 });
    expect(await run('intent_test')).toMatchObject({ code: 0 });
  });

  test("what a build makes, by the project's own rules, takes over when a patch brings it along", async () => {
    const ignore =
      'diff --git a/.gitignore b/.gitignore\ndeleted file mode 100644\n--- a/.gitignore\n+++ /dev/null\n@@ -1 +0,0 @@\n-/out/\n';
    const { daemon, preparation, run } = await preparedFor(ignore + newFile('out/checked', 'all is well'), {
      source: { ...PROJECT.source, '.gitignore': '/out/\n' },
      task: { ...PROJECT.task, 'scripts/test.sh': '#!/bin/sh\ncat out/checked 2> /dev/null || echo to be made\n' },
    });
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests: ['out/checked'], put_back: 1 });
    expect((await run('function_test')).stdout).toBe('all is well\n');
    expect((await run('function_test', { strict: true })).stdout).toBe('to be made\n');
  });

  test('hidden tests that do not fit sources of the patch do not apply, strict or not', async () => {
    const { daemon, preparation, run } = await preparedFor(FIX, {
      task: { ...PROJECT.task, 'diffs/test.diff': FIX.replace('fixed', 'other') },
    });
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests: [] });
    expect(await run('intent_test')).toMatchObject({ code: 'hidden_tests_do_not_apply' });
    expect(await run('intent_test', { strict: true })).toMatchObject({ code: 'hidden_tests_do_not_apply' });
  });

  test('of many touched tests the first are named and all are counted', async () => {
    const names = Array.from({ length: 1200 }, (_, index) => `tests/${String(index).padStart(4, '0')}.txt`);
    const { daemon, preparation } = await preparedFor(names.map((name) => newFile(name, 'x')).join(''));
    await using _ = daemon;
    expect(preparation).toMatchObject({ touched_tests_total: 1200, put_back: 1200 });
    expect(preparation.touched_tests).toHaveLength(1000);
  });

  test('agents can not ask for it', async () => {
    await using daemon = await TestDaemon.start({ ...PROJECT, difficulty: 0 });
    expect((await daemon.bencher('function_test', { strict: true })).json).toHaveProperty(
      'code',
      'grading_is_admin_only',
    );
  });

  test('it is made in the container of the agent, too, from the patch that was captured', async () => {
    await using daemon = await TestDaemon.start(PROJECT);
    writeFileSync(daemon.path('source/Makefile'), 'check: nothing\n');
    symlinkSync('/etc', daemon.path('source/t'));
    expect((await daemon.admin('/prepare_grading', {})).json).toMatchObject({ touched_tests: ['Makefile', 't'] });
    expect((await daemon.graded('function_test', { strict: true })).json).toMatchObject({
      stdout: 'check: all the tests\ntest -f program.txt\n',
    });
  });
});

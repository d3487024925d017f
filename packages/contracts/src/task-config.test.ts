import { expect, test } from 'vitest';
import { checksOf, TaskConfig, withoutAnswers } from './task-config.ts';

const sound = {
  id: 'ini-1',
  project: ' ini ',
  repository: 'https://example.org/ini',
  language: 'c',
  source: '/src/ini',
  task_description: { issue: 'It crashes.' },
  scripts: { build: 'scripts/build.sh', run: 'scripts/run.sh', test: 'scripts/test.sh' },
  files: { poc: ['pocs/a'], future_test: 'diffs/test.diff' },
  patch_commit: 'abc',
  reference: ['https://example.org/fix'],
};

test('parsing trims strings and fills in every key', () => {
  const config = TaskConfig.parse(sound);
  expect(config.project).toBe('ini');
  expect(config.files).toEqual({
    patch: null,
    future_test: 'diffs/test.diff',
    security_test: null,
    intent_test: null,
    poc: ['pocs/a'],
  });
});

test('the checks follow from the scripts and files that are named', () => {
  const config = TaskConfig.parse(sound);
  expect(checksOf(config)).toEqual(['build', 'poc', 'function_test', 'intent_test']);
  expect(checksOf({ ...config, files: { ...config.files, poc: [] } })).toEqual([
    'build',
    'function_test',
    'intent_test',
  ]);
  expect(checksOf({ ...config, scripts: { build: null, run: null, test: null } })).toEqual([]);
});

test('a description that says nothing is refused', () => {
  for (const task_description of [{}, { issue: '  ' }, { crash_report: [] }]) {
    expect(TaskConfig.safeParse({ ...sound, task_description }).success).toBe(false);
  }
});

test('the config of a work container has neither the fix nor links to it', () => {
  expect(withoutAnswers(TaskConfig.parse(sound))).toMatchObject({ patch_commit: null, reference: null });
});

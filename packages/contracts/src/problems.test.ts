import { expect, test } from 'vitest';
import { dottedPath, problemsOf } from './problems.ts';
import { TaskConfig } from './task-config.ts';

const near = (key: string, allowed: readonly string[]): string | undefined => allowed.find((k) => k[0] === key[0]);

function problems(change: Record<string, unknown>) {
  const parsed = TaskConfig.safeParse(
    {
      id: 'ini-1',
      project: 'ini',
      repository: 'https://example.org/ini',
      language: 'c',
      source: '/src/ini',
      task_description: { issue: 'It crashes.' },
      scripts: { build: 'scripts/build.sh' },
      files: {},
      ...change,
    },
    { reportInput: true },
  );
  return parsed.success ? [] : problemsOf(parsed.error, TaskConfig, near);
}

test('a sound config has no problems', () => {
  expect(problems({})).toEqual([]);
});

test('an unknown key is named with the closest known one', () => {
  expect(problems({ langauge: 'c' })).toEqual([
    { path: ['langauge'], message: 'unknown key, did you mean "language"?', unknownKey: true },
  ]);
});

test('an unknown key in a nested object is looked up among the keys of that place', () => {
  expect(problems({ files: { pocs: [] } })).toEqual([
    { path: ['files', 'pocs'], message: 'unknown key, did you mean "patch"?', unknownKey: true },
  ]);
});

test('a missing key, a wrong choice and a wrong list element are each told with their place', () => {
  const found = problems({ project: undefined, language: 'java', files: { poc: ['/abs'] } });
  expect(found.map(({ path, message }) => `${dottedPath(path)}: ${message}`)).toEqual([
    'project: missing, must be string',
    'language: must be one of c, go, rust, found "java"',
    'files.poc[0]: must be relative to /ssebench, found "/abs"',
  ]);
});

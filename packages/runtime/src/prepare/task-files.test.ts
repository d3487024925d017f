import { describe, expect, test } from 'vitest';
import { keptEntries, type TaskEntry, taskFilesOf, withoutAnswerKeys } from './task-files.ts';

const CONFIG = {
  source: '/src/app/',
  scripts: { build: 'scripts/build.sh', run: ' scripts/run.sh ', test: './scripts/test.sh' },
  files: { patch: 'diffs/patch.diff', future_test: 'harness/hidden/test.diff', poc: ['pocs/a', 'tools/poc.bin'] },
  task_description: { crash_report: ['reports/r.txt', 'notes.txt'] },
  patch_commit: 'abc',
  reference: ['https://example.org'],
};

const entries = (...paths: string[]): TaskEntry[] =>
  paths.map((path) => ({ path: path.replace(/\/$/, ''), kind: path.endsWith('/') ? 'directory' : 'file' }));

const ALL = entries(
  'config.yaml',
  'diffs/',
  'diffs/patch.diff',
  'diffs/notes',
  'pocs/',
  'pocs/a',
  'reports/',
  'reports/r.txt',
  'notes.txt',
  'scripts/',
  'scripts/build.sh',
  'scripts/run.sh',
  'scripts/test.sh',
  'scripts/common.sh',
  'scripts/old/',
  'scripts/old/x',
  'fuzz/',
  'fuzz/main.c',
  'fuzz/corpus/',
  'fuzz/empty/',
  'fuzz/corpus/1',
  'harness/',
  'harness/main.c',
  'harness/hidden/',
  'harness/hidden/test.diff',
  'tools/',
  'tools/poc.bin',
  'tools/x',
  'unused/',
  'unused/x',
  'README',
);

describe('what the work image keeps', () => {
  const kept = (scriptText: string) => [...keptEntries(taskFilesOf(CONFIG), ALL, [scriptText])].sort();
  const always = [
    'config.yaml',
    'notes.txt',
    'reports',
    'reports/r.txt',
    'scripts',
    'scripts/build.sh',
    'scripts/common.sh',
    'scripts/run.sh',
    'scripts/test.sh',
  ];

  test('the config, scripts and what lies beside them, and reports', () => {
    expect(kept('make')).toEqual(always);
  });

  test('a directory that a script names by absolute path, whole', () => {
    expect(kept('cc "/ssebench/fuzz/main.c" -o x')).toEqual(
      [...always, 'fuzz', 'fuzz/corpus', 'fuzz/corpus/1', 'fuzz/empty', 'fuzz/main.c'].sort(),
    );
  });

  test('never a directory that holds an answer, and none that is only part of another path', () => {
    expect(
      kept(
        '/ssebench/harness/run /ssebench/tools/x /ssebench/pocs/a /ssebench/diffs /x/ssebench/unused ../ssebench/unused',
      ),
    ).toEqual(always);
  });
});

test('the config keeps what the task can do, and loses the fix', () => {
  const { patch_commit: _commit, reference: _links, ...rest } = CONFIG;
  expect(withoutAnswerKeys(CONFIG)).toEqual(rest);
});

test.each([
  [{ ...CONFIG, source: 'src/app' }, 'source must be an absolute path'],
  [{ ...CONFIG, scripts: { build: '../build.sh' } }, 'scripts: "../build.sh" is no path below /ssebench'],
  [{ ...CONFIG, files: { poc: ['/etc/passwd'] } }, 'files: "/etc/passwd" is no path below /ssebench'],
  ['text', 'config.yaml must be a mapping'],
])('config %# is refused', (config, message) => {
  expect(() => taskFilesOf(config)).toThrow(message);
});

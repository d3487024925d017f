import { expect, test } from 'vitest';
import { soundTask } from '../../datasets/testing/dataset-folder.ts';
import { type CliFolder, cliFolder } from '../test-cli.ts';

/** A home with two datasets: `good` has one task, `bad` has one with an error, one with a warning, and a sound one. */
function home(): CliFolder {
  const folder = cliFolder({
    'datasets/good/dataset.yaml': 'version: good-v1\n',
    'datasets/bad/dataset.yaml': 'version: bad-v1\n',
  });
  const write = (dataset: string, id: string) => {
    for (const [path, text] of Object.entries(soundTask(id))) folder.write(`datasets/${dataset}/${path}`, text);
  };
  write('good', 'leak-1');
  for (const id of ['a', 'b', 'c']) write('bad', id);
  folder.write(
    'datasets/bad/a/sse/config.yaml',
    (soundTask('a')['a/sse/config.yaml'] ?? '').replace('language: c', 'language: java'),
  );
  folder.write('datasets/bad/b/sse/test.sh', '#!/bin/sh\ncd /src/leak\n');
  return folder;
}

const ERROR = '  sse/config.yaml:4: language: must be one of c, go, rust, found "java" [config]';
const WARNING =
  '  sse/test.sh:2: warning: names the project as /src/leak; it must use the working directory [absolute-source]';

test('without a name every dataset of home is looked at, and everything is told at once', () => {
  using folder = home();
  expect(folder.ssebench(['dataset', 'validate'])).toEqual({
    status: 1,
    stdout: 'datasets/good: 1 task is valid\n',
    stderr: ['a:', ERROR, 'b:', WARNING, 'datasets/bad: 1 of 3 tasks is invalid', ''].join('\n'),
  });
});

test('with --strict a warning makes a task invalid; a task alone can be named', () => {
  using folder = home();
  const run = (...args: string[]) => folder.ssebench(['dataset', 'validate', ...args]);
  expect(run('--strict', 'bad').stderr).toMatch(/\ndatasets\/bad: 2 of 3 tasks are invalid\n$/);
  expect(run('datasets/bad/b')).toEqual({
    status: 0,
    stdout: 'datasets/bad/b: 1 task is valid\n',
    stderr: `b:\n${WARNING}\n`,
  });
  expect(run('datasets/bad/b', '--strict').status).toBe(1);
  expect(run('good', 'datasets/bad/c')).toEqual({
    status: 0,
    stdout: 'datasets/good: 1 task is valid\ndatasets/bad/c: 1 task is valid\n',
    stderr: '',
  });
});

test('every name that is none is told, and nothing is looked at', () => {
  using folder = home();
  folder.write('file', '');
  expect(folder.ssebench(['dataset', 'validate', 'goood', 'file', './gone', 'good'])).toEqual({
    status: 1,
    stdout: '',
    stderr: [
      'no such folder, and unknown dataset "goood", did you mean "good"? (available: bad, good)',
      'file: is not a folder',
      './gone: no such folder',
      '',
    ].join('\n'),
  });
  expect(folder.ssebench(['dataset', 'manifest', 'datasets/bad/a']).stderr).toBe(
    "datasets/bad/a: is a task; name its dataset's folder\n",
  );
});

test('programs get the findings as JSON', () => {
  using folder = home();
  const { status, stdout } = folder.ssebench(['dataset', 'validate', '--json', 'bad']);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    {
      dir: '<dir>/datasets/bad',
      tasks: ['a', 'b', 'c'],
      valid: false,
      findings: [
        {
          severity: 'error',
          rule: 'config',
          task: 'a',
          file: 'sse/config.yaml',
          line: 4,
          key: 'language',
          message: 'must be one of c, go, rust, found "java"',
        },
        expect.objectContaining({ severity: 'warning', rule: 'absolute-source', task: 'b', line: 2, key: null }),
      ],
    },
  ]);
});

test('a problem of the dataset itself is told by its path', () => {
  using folder = home();
  folder.write('datasets/good/dataset.yaml', 'version: 7\n');
  expect(folder.ssebench(['dataset', 'validate', 'good'])).toEqual({
    status: 1,
    stdout: '',
    stderr: 'datasets/good/dataset.yaml:1: version: must be string, found number [dataset-info]\n',
  });
});

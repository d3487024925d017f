import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKOUT } from './support/command.ts';
import { NOOP_DATASET, Workspace } from './support/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await Workspace.create();
});
afterAll(() => workspace[Symbol.asyncDispose]());

test('the scripts of a sound task do on every tree what they must, and their output is shown', async () => {
  const end = await workspace.run(
    'task',
    'try',
    join(CHECKOUT, 'datasets/starter/iniq-heap-overflow'),
    '--lines',
    '500',
  );
  expect(end.status, end.stderr).toBe(0);
  const lines = end.stdout.split('\n');
  const told = lines
    .filter((line) => line !== '' && !line.startsWith('    '))
    .map((line) => line.replace(/[\d.]+ s/, 'N s'));
  const scripts = (bug: string) => [
    'build.sh: exit 0 after N s: as it must',
    `run.sh pocs/long-reference.ini: exit ${bug} after N s: as it must`,
    `run.sh pocs/grown-twice.ini: exit ${bug} after N s: as it must`,
    'test.sh: exit 0 after N s: as it must',
  ];
  expect(told).toEqual([
    '== The vulnerable tree',
    ...scripts('1'),
    '== The vulnerable tree, with the hidden tests',
    expect.stringMatching(/^test\.sh: exit [1-9]\d* after N s: as it must$/),
    '== The tree with the reference patch',
    ...scripts('0'),
    '== The tree with the reference patch, with the hidden tests',
    'test.sh: exit 0 after N s: as it must',
  ]);
  const shown = (from: string, to: string) => lines.slice(lines.indexOf(from), lines.indexOf(to)).join('\n');
  expect(shown('== The vulnerable tree', '== The tree with the reference patch')).toContain('ERROR: AddressSanitizer');
});

test('a proof of concept that shows no bug is told, with status 1, and nothing of the try is left', async () => {
  const temporary = join(workspace.path, 'temporary');
  await mkdir(temporary);
  const end = await workspace
    .withVariables({ TMPDIR: temporary })
    .run('task', 'try', join(NOOP_DATASET, 'noop-c'), '--lines', '0');
  expect(end.status, end.stderr).toBe(1);
  expect(end.stdout).toMatch(
    /^run\.sh pocs\/poc\.txt: exit 0 after .* s: UNEXPECTED: it must fail: the bug does not show$/m,
  );
  expect(end.stdout).not.toMatch(/^ {4}/m);
  expect((await readdir(temporary)).filter((name) => name.startsWith('ssebench-try-'))).toEqual([]);
});

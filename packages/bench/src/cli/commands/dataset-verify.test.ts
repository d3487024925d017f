import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cliFolder } from '../test-cli.ts';

const STARTER = fileURLToPath(new URL('../../../../../datasets/starter', import.meta.url));

test('a task that is named after the folder of its dataset is meant as a task', () => {
  using home = cliFolder();
  const tasksOf = (...args: string[]) => {
    const end = home.ssebench(['dataset', 'verify', '--list', ...args]);
    return end.status === 0 ? JSON.parse(end.stdout).tasks.map(({ task }: { task: string }) => task) : end.stderr;
  };
  expect(tasksOf('iniq-heap-overflow', '--dir', STARTER)).toEqual(['iniq-heap-overflow']);
  expect(tasksOf('--dir', STARTER, 'iniq-heap-overflow')).toEqual(['iniq-heap-overflow']);
  expect(tasksOf('--dir', STARTER, 'nosuch')).toContain('no such folder, and unknown dataset "nosuch"');
});

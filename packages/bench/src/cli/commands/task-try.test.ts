import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cliFolder } from '../test-cli.ts';

const TASK = fileURLToPath(new URL('../../../../../datasets/starter/iniq-heap-overflow', import.meta.url));

test('a dataset in place of a task is told', () => {
  using home = cliFolder({ 'data/set/dataset.yaml': 'version: set-v1\n' });
  expect(home.ssebench(['task', 'try', 'data/set'])).toMatchObject({
    status: 1,
    stderr: 'data/set: is a dataset; name the folder of a task in it\n',
  });
});

test('a certificate is looked for where the command is given, not where its runs are kept', () => {
  using home = cliFolder();
  expect(home.ssebench(['task', 'try', TASK, '--extra-ca', 'nofile.pem'])).toEqual({
    status: 1,
    stdout: '',
    stderr: '--extra-ca: <dir>/nofile.pem: no such file\n',
  });
});

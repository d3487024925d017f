import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cliFolder } from '../test-cli.ts';

const TASK = fileURLToPath(new URL('../../../../../datasets/starter/iniq-heap-overflow', import.meta.url));

test('a certificate is looked for where the command is given, not where its runs are kept', () => {
  using home = cliFolder();
  expect(home.ssebench(['task', 'try', TASK, '--extra-ca', 'nofile.pem'])).toEqual({
    status: 1,
    stdout: '',
    stderr: '--extra-ca: <dir>/nofile.pem: no such file\n',
  });
});

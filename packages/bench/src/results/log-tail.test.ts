import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { logTail } from './log-tail.ts';

test('the last lines of a long log, without what could steer a terminal', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join('\n');
  using folder = cliFolder({ 'a.log': `${lines}\n\u001b[31mred\u001b[0m\ta\u0007b\r\n${'x'.repeat(1000)}\n\n` });
  expect(logTail(join(folder.dir, 'a.log'), 3)).toEqual(['line 19999', 'red\ta\ufffdb\ufffd', `${'x'.repeat(400)}…`]);
});

test('an empty log has one empty line; links, pipes and what is not there have none', () => {
  using folder = cliFolder({ 'empty.log': '' });
  symlinkSync('/etc/passwd', join(folder.dir, 'link.log'));
  spawnSync('mkfifo', [join(folder.dir, 'pipe.log')]);
  expect(logTail(join(folder.dir, 'empty.log'), 3)).toEqual(['']);
  for (const name of ['link.log', 'pipe.log', 'no.log']) expect(logTail(join(folder.dir, name), 3)).toBeUndefined();
});

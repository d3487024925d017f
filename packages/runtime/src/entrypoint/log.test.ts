import { expect, test } from 'vitest';
import { logLine } from './log.ts';

test('a line is one line, and its values can be told apart', () => {
  const fields = { pid: 176, path: '/tmp/a b', quoted: 'say "x"', lines: 'a\nb', empty: '', none: null };
  expect(logLine('INFO', 'Agent started', fields)).toBe(
    'level=INFO service=ssebench msg="Agent started" pid=176 path="/tmp/a b" quoted="say \\"x\\"" lines="a\\nb" empty="" none=null\n',
  );
});

import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test('what would steer a terminal is shown as a mark; lines, tabs and all writing stay', () => {
  expect(printable('a\u001b]0;title\u0007b\u009b2Jc\rd\u007f')).toBe(
    'a\u{fffd}]0;title\u{fffd}b\u{fffd}2Jc\u{fffd}d\u{fffd}',
  );
  expect(printable('two\nlines\tand ünïcödé 漢')).toBe('two\nlines\tand ünïcödé 漢');
});

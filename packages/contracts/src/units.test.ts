import { expect, test } from 'vitest';
import { bytes } from './units.ts';

test('sizes read as a person would write them', () => {
  expect([0, 1023, 1024, 3500, 1.2 * 1024 ** 3].map(bytes)).toEqual([
    '0 bytes',
    '1023 bytes',
    '1.0 KiB',
    '3.4 KiB',
    '1.2 GiB',
  ]);
});

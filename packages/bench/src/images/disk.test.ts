import { expect, test } from 'vitest';
import { diskNeeded, diskNotice } from './disk.ts';

test('what is to be built is named with its size', () => {
  expect(diskNotice(['debian', 'root', 'base generic-c', 'base generic-go'])).toMatch(
    /^building debian, root, base generic-c, base generic-go: will take about \d\.\d GB of the engine's disk$/,
  );
});

test('an unknown base counts as a middling one, small things alone are not worth a line', () => {
  expect(diskNeeded(['base generic-zig'])).toBe(diskNeeded(['base generic-rust']));
  expect(diskNotice(['agent'])).toBeUndefined();
  expect(diskNotice([])).toBeUndefined();
});

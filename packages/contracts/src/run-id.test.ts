import { expect, test } from 'vitest';
import { makeRunId, RunId } from './run-id.ts';

test('a generated ID has the UTC time and six hex digits, and is valid', () => {
  const id = makeRunId(new Date('2026-09-29T15:30:12.418Z'), new Uint8Array([0xa1, 0xb2, 0xc3]));
  expect(id).toBe('20260929-153012-a1b2c3');
  expect(RunId.parse(id)).toBe(id);
});

test.each(['latest', '', '.hidden', '-x', 'a/b', 'a'.repeat(65), 'ä'])('%j is no run ID', (id) => {
  expect(RunId.safeParse(id).success).toBe(false);
});

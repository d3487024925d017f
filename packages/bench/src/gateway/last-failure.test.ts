import { expect, test } from 'vitest';
import { lastFailure } from './last-failure.ts';

test.each([
  [0, 'no answer: refused'],
  [200, 'HTTP 200: refused'],
  [401, 'HTTP 401: refused'],
  [429, 'HTTP 429: refused'],
  [503, 'HTTP 503: refused'],
])('a last call that failed with status %i is the failure of the provider', (status, text) => {
  expect(lastFailure({ ok: false, status, words: 'refused' })).toBe(text);
});

test.each([400, 404, 413, 422])('one that was refused with %i for what stood in it is not', (status) => {
  expect(lastFailure({ ok: false, status, words: 'the prompt is too long' })).toBeNull();
});

test('one that was answered, or never made, is none', () => {
  expect(lastFailure({ ok: true, status: 200, words: '' })).toBeNull();
  expect(lastFailure(null)).toBeNull();
});

import { expect, test } from 'vitest';
import { closest, unknownName } from './closest.ts';

test.each([
  ['langauge', 'language'],
  ['LANGUAGE', 'language'],
  ['lang', undefined],
  ['xy', undefined],
  ['projects', 'project'],
])('%s is near %s', (name, near) => {
  expect(closest(name, ['language', 'project', 'id'])).toBe(near);
});

test('without any name to choose from the message says so', () => {
  expect(unknownName('task', 'x', [])).toBe('unknown task "x"; there are none');
});

import { expect, test } from 'vitest';
import { ignoredPaths, PatternError } from './dockerignore.ts';

test('lines that are no patterns are told, all at once', () => {
  const wrong = (text: string) => {
    try {
      ignoredPaths(text);
      return [];
    } catch (error) {
      return (error as PatternError).lines;
    }
  };
  expect(wrong('# [\nsrc/[\n\n![\r\nsrc/[ab]*\n')).toEqual([2, 4]);
  expect(wrong('*\n!src\n**/a?\n')).toEqual([]);
  expect(() => ignoredPaths('[')).toThrow(PatternError);
});

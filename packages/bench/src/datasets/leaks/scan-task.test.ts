import { EngineError } from '@ssebench/engine/errors';
import { expect, test } from 'vitest';
import { unsearchedSentence } from './scan-task.ts';

test('for an image that is gone, a new verification is the remedy', () => {
  const gone = new EngineError('not_found', { operation: 'create container of 1f2e', detail: 'No such image' });
  expect(unsearchedSentence('leak-1', gone)).toBe(
    'leak-1: its images could not be searched for answers: create container of 1f2e: not found: No such image; --anew makes its images and runs again',
  );
  expect(unsearchedSentence('leak-1', new Error('the search ended with 1'))).toMatch(/: the search ended with 1$/);
});

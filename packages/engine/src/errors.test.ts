import { expect, test } from 'vitest';
import { EngineError, isEngineError } from './errors.ts';

test('the message names the operation and repeats the engine’s words', () => {
  const error = new EngineError('refused', {
    operation: 'create container of 1f2e',
    detail: 'no space left on device',
  });
  expect(error.message).toBe('create container of 1f2e: the container engine refused: no space left on device');
});

test('isEngineError tells one code from another, and other errors from ours', () => {
  const error = new EngineError('conflict', { operation: 'remove volume x', detail: 'in use' });
  expect(isEngineError(error)).toBe(true);
  expect(isEngineError(error, 'not_found', 'conflict')).toBe(true);
  expect(isEngineError(error, 'not_found')).toBe(false);
  expect(isEngineError(new Error('conflict'))).toBe(false);
});

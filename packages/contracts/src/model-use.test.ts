import { expect, test } from 'vitest';
import { type ModelUse, modelFault, unreadUse } from './model-use.ts';

const use = (changes: Partial<ModelUse>): ModelUse => ({
  gateway: 'embedded',
  budget: 10,
  spend: 0.5,
  uncertain: 0,
  calls: 3,
  answered: 3,
  failed: 0,
  tokens: null,
  served_models: [],
  fingerprints: [],
  refusals: [],
  allowed: [],
  lowered_outputs: 0,
  budget_exhausted: false,
  last_failure: null,
  unread: null,
  gateway_run: null,
  recording: null,
  replay: null,
  ...changes,
});

test('a run whose calls were answered, or that made none and ended well, has no fault of its model', () => {
  expect(modelFault(use({}), 1)).toBeNull();
  expect(modelFault(use({ calls: 0, answered: 0, spend: 0 }), 0)).toBeNull();
  expect(modelFault(use({ calls: null, answered: null, spend: 0 }), 0)).toBeNull();
});

test.each<[string, Partial<ModelUse>, number | null]>([
  ['calls, and no answer', { answered: 0, failed: 3, last_failure: 'HTTP 503' }, 0],
  ['no call, and an agent that gave up', { calls: 0, answered: 0, spend: 0 }, 1],
  ['no count, nothing spent, and an agent that gave up', { calls: null, answered: null, spend: 0 }, 7],
])('%s: the model never answered', (_, changes, exitCode) => {
  expect(modelFault(use(changes), exitCode)).toMatchObject({
    code: 'model_unanswered',
    blame: 'model',
    retryable: true,
    detail: expect.stringContaining(`the agent exited with status ${exitCode}`),
  });
});

test('a provider that failed in the end is a fault, whatever it answered before', () => {
  expect(modelFault(use({ failed: 1, last_failure: 'HTTP 529: overloaded' }), 1)).toMatchObject({
    code: 'model_failed',
    blame: 'model',
    detail: expect.stringContaining('HTTP 529: overloaded'),
  });
});

test('a budget that ran out is none', () => {
  expect(modelFault(use({ budget_exhausted: true, last_failure: 'x' }), 1)).toBeNull();
  expect(modelFault(use({ budget_exhausted: true, calls: 2, answered: 0 }), 1)).toBeNull();
});

test('books that can not be read say that all may be spent, and take no grade back', () => {
  const unread = unreadUse({ gateway: 'embedded', budget: 10, allowed: [] }, 'the gateway did not start');
  expect(unread).toMatchObject({ spend: 0, uncertain: 10, unread: 'the gateway did not start' });
  expect(modelFault(unread, 1)).toBeNull();
});

import { EngineError } from '@ssebench/engine/errors';
import { expect, test, vi } from 'vitest';
import { blamingAgentLayer } from './agent-layer.ts';

const refused = () => Promise.reject(new EngineError('refused', { operation: 'start', detail: 'not a directory' }));

test('what works is not tried again', async () => {
  const control = vi.fn(async () => undefined);
  expect(await blamingAgentLayer(async () => 'done', control)).toBe('done');
  expect(control).not.toHaveBeenCalled();
});

test("a container that only starts without the agent's layer is the agent's fault, for good", async () => {
  await expect(blamingAgentLayer(refused, async () => undefined)).rejects.toMatchObject({
    fault: {
      code: 'start_failed',
      blame: 'agent',
      retryable: false,
      detail: expect.stringContaining('not a directory'),
    },
  });
});

test("an engine that refuses the task's own image, too, is not", async () => {
  await expect(blamingAgentLayer(refused, refused)).rejects.toMatchObject({ code: 'refused' });
});

test('an engine that is gone says nothing about an image', async () => {
  const gone = () => Promise.reject(new EngineError('unreachable', { operation: 'start', detail: 'no socket' }));
  const control = vi.fn(async () => undefined);
  await expect(blamingAgentLayer(gone, control)).rejects.toMatchObject({ code: 'unreachable' });
  expect(control).not.toHaveBeenCalled();
});

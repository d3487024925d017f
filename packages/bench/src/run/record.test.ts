import { FaultError, fault } from '@ssebench/contracts/faults';
import { EngineError } from '@ssebench/engine/errors';
import { expect, test } from 'vitest';
import { RunRecord } from './record.ts';

const running = new AbortController().signal;

test('the first cause of a fault wins over what follows from it', () => {
  const record = new RunRecord();
  record.fail(fault('agent_overran', 'late'));
  record.failWith(new EngineError('unreachable', { operation: 'remove', detail: 'gone' }), running);
  expect(record.fault?.code).toBe('agent_overran');
});

test('an engine that goes away is a fault of the machinery, in the phase where it went', async () => {
  const record = new RunRecord();
  const lost = new EngineError('unreachable', { operation: 'start container 1f2e', detail: 'connection refused' });
  await record
    .during('agent', 'agent', () => Promise.reject(lost))
    .catch((error: unknown) => record.failWith(error, running));
  expect(record.fault).toMatchObject({ code: 'engine_unreachable', phase: 'agent', blame: 'infra', retryable: true });
  expect(record.phases).toEqual([{ phase: 'agent', duration_ms: expect.any(Number) }]);
});

test('whatever a stopped run throws, it was interrupted', () => {
  const stopped = new AbortController();
  stopped.abort('SIGINT');
  const record = new RunRecord();
  record.failWith(new EngineError('aborted', { operation: 'build', detail: '' }), stopped.signal);
  expect(record.fault).toMatchObject({ code: 'interrupted', blame: 'user', detail: 'stopped by SIGINT' });
});

test('a full disk is told apart from a fault of ours', () => {
  const record = new RunRecord();
  record.failWith(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }), running);
  expect(record.fault?.code).toBe('results_unwritable');
});

test('a fault that is thrown stands as it is', () => {
  const record = new RunRecord();
  const thrown = fault('image_unusable', 'no git in the image');
  record.failWith(new FaultError(thrown), running);
  expect(record.fault).toEqual(thrown);
});

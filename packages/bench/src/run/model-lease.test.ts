import { expect, test } from 'vitest';
import { GatewayError, type ModelGateway } from '../gateway/model-gateway.ts';
import { ModelLease } from './model-lease.ts';
import { RunRecord } from './record.ts';
import type { Stage } from './run-scene.ts';

test('what a run spent never counts as nothing because the books can not be read', async () => {
  const record = new RunRecord();
  const stage = {
    record,
    owner: { work: '/nowhere' },
    facts: { runId: 'run' },
    directory: { token: '0a0b0c0d' },
  } as Stage;
  const gone: ModelGateway = {
    kind: 'embedded',
    open: () => Promise.reject(new GatewayError('gone')),
    keep: () => Promise.resolve(),
    close: () => Promise.reject(new GatewayError('the gateway did not start')),
  };
  await ModelLease.take(stage, { gateway: 'embedded', budget: 2.5, allowed: [] }, gone)[Symbol.asyncDispose]();
  expect(record.model).toMatchObject({ spend: 0, uncertain: 2.5, unread: 'the gateway did not start' });
  expect(record.fault).toMatchObject({ code: 'gateway_failed', blame: 'infra' });
});

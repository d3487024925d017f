import type { ModelSwitch } from '@ssebench/contracts/model-switches';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_REQUESTS } from '../testing/agent-requests.ts';
import { whole } from '../testing/provider-stub.ts';
import { REFUSED } from '../testing/refused-requests.ts';
import { anthropic, chat, gemini, responses } from '../testing/samples.ts';
import { TestGateway } from '../testing/test-gateway.ts';

const SAMPLES = {
  'anthropic-messages': anthropic,
  'openai-chat': chat,
  'openai-responses': responses,
  gemini,
} as const;

describe.each(Object.entries(REFUSED))('%s refuses, and allows when set', (name, cases) => {
  const sample = SAMPLES[name as keyof typeof SAMPLES];
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    gateway.provider.answers(whole(sample.answer));
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test.each(cases)('%j', async (added, field, code) => {
    const body = { ...sample.request, ...added };
    const before = gateway.provider.received.length;
    const answer = await gateway.post(sample.path, body);
    expect(answer.status).toBe(400);
    const { error } = JSON.parse(answer.body.toString());
    expect(error.message).toContain(`${field} (`);
    if (name.startsWith('openai')) expect(error).toMatchObject({ type: 'invalid_request_error', param: field });
    else if (name === 'gemini') expect(error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' });
    else expect(error.type).toBe('invalid_request_error');

    expect(gateway.provider.received).toHaveLength(before);
    const refusal = gateway
      .spend()
      .refusals.find((one) => one.field === field.replace(/\d+/g, '') && one.code === code);
    expect(refusal).toMatchObject({ protocol: name });

    const setting = /"(allow|allow_fields): (.+)"$/.exec(error.message);
    const [, which, value = ''] = setting ?? [];
    expect(which).toBe(code === 'field' || code === 'kind' ? 'allow_fields' : 'allow');
    const key = gateway.addRun(which === 'allow' ? { allow: [value as ModelSwitch] } : { allowFields: [value] });
    expect((await gateway.post(sample.path, body, { 'x-api-key': key })).status).toBe(200);
    expect(gateway.provider.received).toHaveLength(before + 1);
    expect(gateway.provider.last.body.toString()).toBe(JSON.stringify(body));
  });
});

test.each(AGENT_REQUESTS)('what %s sends is allowed, and arrives as it was sent', async (_what, path, body) => {
  await using gateway = await TestGateway.start();
  gateway.provider.answers(whole('{}'));
  const answer = await gateway.post(path, body);
  expect(answer.body.toString()).toBe('{}');
  expect(gateway.provider.last.body.toString()).toBe(JSON.stringify(body));
});

test.each([
  ['POST', '/v1/messages/batches'],
  ['POST', '/v1/files'],
  ['POST', '/v1/batches'],
  ['POST', '/v1/embeddings'],
  ['GET', '/v1/responses/resp_1'],
  ['POST', '/v1/responses/resp_1/cancel'],
  ['DELETE', '/v1/models/the-model'],
  ['POST', '/v1beta/models/the-model:batchGenerateContent'],
  ['POST', '/v1beta/cachedContents'],
  ['POST', '/v1/messages/'],
  ['POST', '//v1/messages'],
  ['POST', '/v1/%6dessages'],
])('the route %s %s is refused and recorded', async (method, path) => {
  await using gateway = await TestGateway.start();
  const answer = await gateway.send(method, path, '{}');
  expect(answer.status).toBe(404);
  expect(JSON.parse(answer.body.toString()).error.message).toContain(path);
  expect(gateway.spend().refusals).toMatchObject([{ code: 'route', field: path, found: method }]);
});

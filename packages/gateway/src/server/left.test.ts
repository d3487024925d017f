import { expect, test } from 'vitest';
import { whole } from '../testing/provider-stub.ts';
import { chat } from '../testing/samples.ts';
import { TestGateway } from '../testing/test-gateway.ts';

test('the holder of a key is told what is left of its budget, and nobody else is', async () => {
  await using gateway = await TestGateway.start();
  const ask = async (headers: Record<string, string> = {}) => {
    const { status, body } = await gateway.send('GET', '/ssebench/left', '', headers);
    return { status, json: JSON.parse(body.toString()) };
  };
  const before = await ask();
  expect(before).toMatchObject({ status: 200, json: { spent_usd: '0.00', left_usd: before.json.budget_usd } });
  gateway.provider.answers(whole(chat.answer));
  await gateway.send('POST', chat.path, JSON.stringify(chat.request));
  const { budget, settled } = gateway.spend();
  expect(settled).toBeGreaterThan(0n);
  const { json } = await ask();
  expect(Math.round(json.left_usd * 1e9)).toBe(Number(budget - settled));
  expect((await ask({ 'x-api-key': 'sk-other' })).status).toBe(401);
});

import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { runLimits } from './run-limits.ts';

let gateway: Server | undefined;
afterEach(() => {
  gateway?.close();
  gateway?.closeAllConnections();
});

async function served(answer: RequestListener): Promise<Record<string, string>> {
  gateway = createServer(answer).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  const { port } = gateway.address() as AddressInfo;
  return { SSE_BASE_URL: `http://127.0.0.1:${port}/`, SSE_API_KEY: 'sk-run', SSE_BUDGET_USD: '2.5' };
}

test('the time left is counted to the deadline, and never below nothing', async () => {
  const at = (ms: number) => runLimits({ SSE_DEADLINE: '1000' }, ms);
  expect(await at(900_500)).toMatchObject({ deadline: 1000, seconds_left: 99 });
  expect(await at(1_000_500)).toMatchObject({ seconds_left: 0 });
});

test('the money left is what the gateway says to whoever holds the key', async () => {
  const env = await served((request, response) => {
    const known = request.url === '/ssebench/left' && request.headers.authorization === 'Bearer sk-run';
    response.statusCode = known ? 200 : 404;
    response.end('{"budget_usd":"2.50","spent_usd":"0.25","left_usd":"2.00"}');
  });
  expect(await runLimits(env)).toEqual({
    deadline: null,
    seconds_left: null,
    budget_usd: 2.5,
    spent_usd: 0.25,
    left_usd: 2,
  });
});

test('a gateway that can not tell, and a run without one, leave the figures out', async () => {
  const env = await served((_, response) => void response.writeHead(404).end('{}'));
  expect(await runLimits(env)).toMatchObject({ budget_usd: 2.5, spent_usd: null, left_usd: null });
  expect(await runLimits({})).toMatchObject({ budget_usd: null, spent_usd: null });
});

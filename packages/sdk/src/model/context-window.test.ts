import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { contextWindow } from './context-window.ts';

/** What is made of this answer to whoever asks for the model `m/1` with the run's key. */
async function asked(status: number, body: string): Promise<number | undefined> {
  const server = createServer(({ url, headers }, response) => {
    const right = url === '/v1/models/m%2F1' && headers['x-api-key'] === 'k' && 'anthropic-version' in headers;
    response.writeHead(right ? status : 400).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { SSE_BASE_URL: `http://127.0.0.1:${port}/`, SSE_API_KEY: 'k', SSE_MODEL_NAME: 'm/1' };
  const told = await contextWindow(env);
  await server[Symbol.asyncDispose]();
  return told;
}

test('a model’s window is what the gateway says, and nothing where it says nothing', async () => {
  expect(await asked(200, '{"id":"m/1","max_input_tokens":128000}')).toBe(128_000);
  for (const body of ['{"id":"m/1"}', '{"max_input_tokens":null}', 'null', 'no json', '{"max_input_tokens":"many"}'])
    expect(await asked(200, body)).toBeUndefined();
  expect(await asked(404, '{"max_input_tokens":1}')).toBeUndefined();
  const env = { SSE_BASE_URL: 'http://127.0.0.1:9', SSE_API_KEY: 'k', SSE_MODEL_NAME: 'm' };
  expect(await contextWindow(env)).toBeUndefined();
  await expect(contextWindow({})).rejects.toThrow('SSE_BASE_URL');
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { providerProtocols } from './provider-protocols.ts';

/** What is made of this answer to whoever asks for the model `m/1` with the run's key. */
async function asked(status: number, body: string): Promise<readonly string[]> {
  const server = createServer(({ url, headers }, response) => {
    const right = url === '/v1/models/m%2F1' && headers.authorization === 'Bearer k';
    response.writeHead(right ? status : 400).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { SSE_BASE_URL: `http://127.0.0.1:${port}/`, SSE_API_KEY: 'k', SSE_MODEL_NAME: 'm/1' };
  const told = await providerProtocols(env);
  await server[Symbol.asyncDispose]();
  return told;
}

test('a provider’s protocols are what the gateway says, and none where it says nothing', async () => {
  expect(await asked(200, '{"protocols":["openai-responses","smoke-signals","openai-chat"]}')).toEqual([
    'openai-chat',
    'openai-responses',
  ]);
  for (const body of ['{"id":"m/1"}', '{"protocols":"gemini"}', 'null', 'no json'])
    expect(await asked(200, body)).toEqual([]);
  expect(await asked(404, '{"protocols":["gemini"]}')).toEqual([]);
  await expect(providerProtocols({})).rejects.toThrow('SSE_BASE_URL');
});

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GATEWAY_PATH } from '@ssebench/contracts/layout';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeModel, openModel } from './model-access.ts';
import type { Settings } from './settings.ts';

let directory: string;
let gateway: Server;
let heard: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'model-'));
  heard = [];
  gateway = createServer((request, answer) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    answer.end('{}');
  });
  gateway.listen(join(directory, 'model.sock'));
  await once(gateway, 'listening');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  gateway.close();
  gateway.closeAllConnections();
  rmSync(directory, { recursive: true });
});

const settings = (changes: Partial<Settings> = {}): Settings =>
  ({
    modelSocket: join(directory, 'model.sock'),
    modelPort: 0,
    agentEnv: { SSE_API_KEY: 'sk-run' },
    ...changes,
  }) as Settings;

test('while it is open the agent reaches the gateway; closed, the key is ended and nothing gets through', async () => {
  const relay = await openModel(settings());
  const url = `http://127.0.0.1:${relay?.port}/v1/models`;
  expect((await fetch(url, { headers: { authorization: 'Bearer sk-run' } })).status).toBe(200);
  if (relay) await closeModel(relay, settings());
  expect(heard).toEqual(['GET /v1/models Bearer sk-run', `POST ${GATEWAY_PATH.revoke} Bearer sk-run`]);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('a run without a model has no way to one', async () => {
  expect(await openModel(settings({ modelSocket: undefined }))).toBeNull();
});

test('a gateway that is gone keeps no phase from its end', async () => {
  const relay = await openModel(settings());
  gateway.close();
  rmSync(join(directory, 'model.sock'), { force: true });
  if (relay) await closeModel(relay, settings());
  expect(heard).toEqual([]);
});

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gatewayPlace, keepGateway, startGateway } from './gateway-process.ts';
import { GatewayError } from './model-gateway.ts';

test('a state directory that can not be written is told with its place, and ends nobody who keeps a gateway', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'place-'));
  try {
    const place = gatewayPlace('/workspace', { XDG_STATE_HOME: folder });
    mkdirSync(join(place.stateDir, 'gateway.log'), { recursive: true });
    const error = await startGateway(place).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(GatewayError);
    expect(String(error)).toMatch(/can't be started in .*\/ssebench\/gateway-.*EISDIR.*XDG_STATE_HOME/);
    await expect(keepGateway(place, AbortSignal.timeout(300))).resolves.toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a state directory whose socket would have too long a path is refused', () => {
  expect(() => gatewayPlace('/workspace', { XDG_STATE_HOME: `/${'x'.repeat(90)}` })).toThrow('too long a path');
});

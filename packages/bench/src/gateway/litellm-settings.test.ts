import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSettings } from '../config/settings.ts';
import { liteLlmAddress } from './litellm-settings.ts';

function address(env: NodeJS.ProcessEnv) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'litellm-'));
  writeFileSync(join(folder.path, '.env'), 'LITELLM_MASTER_KEY=sk-1\n');
  return liteLlmAddress(loadSettings(folder.path, env));
}

test('the address is the one that is set, without what clients append', () => {
  for (const written of ['https://models.example.org/litellm/', 'https://models.example.org/litellm/v1'])
    expect(address({ LITELLM_BASE_URL: written }).baseUrl).toBe('https://models.example.org/litellm');
});

test('without one it is that of the Compose stack, as this machine reaches it', () => {
  expect(address({})).toEqual({ baseUrl: 'http://127.0.0.1:4000', masterKey: 'sk-1' });
  expect(address({ LITELLM_PORT: '4100', LITELLM_BIND: '0.0.0.0' }).baseUrl).toBe('http://127.0.0.1:4100');
  expect(address({ LITELLM_BIND: '10.0.0.5' }).baseUrl).toBe('http://10.0.0.5:4000');
});

test('what can be no address, port or key is refused by name, and no key is shown', () => {
  expect(() => address({ LITELLM_BASE_URL: 'localhost:4000' })).toThrow('LITELLM_BASE_URL: must be the http or https');
  expect(() => address({ LITELLM_BASE_URL: 'http://a:b@host' })).toThrow('must hold no user and no password');
  expect(() => address({ LITELLM_PORT: '0' })).toThrow('LITELLM_PORT: "0" is no port: a number from 1 to 65535');
  expect(() => address({ LITELLM_MASTER_KEY: 'sk secret' })).toThrow(/^LITELLM_MASTER_KEY has characters[^"]*ASCII$/);
});

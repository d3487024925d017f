import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registryAuth } from './registry-auth.ts';

function clientFolder(config: string, helpers: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'sse-auth-'));
  writeFileSync(join(dir, 'config.json'), config);
  for (const [name, script] of Object.entries(helpers)) {
    writeFileSync(join(dir, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`);
    chmodSync(join(dir, `docker-credential-${name}`), 0o755);
  }
  return {
    auth: (ref: string) => registryAuth(ref, { DOCKER_CONFIG: dir, PATH: `${dir}:${process.env['PATH']}` }),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true }),
  };
}

const base64 = (pair: string) => Buffer.from(pair).toString('base64');

test('credentials are those of the registry that the image is of', async () => {
  using client = clientFolder(
    JSON.stringify({
      auths: {
        'r.example:5000': { auth: base64('ann:a:b') },
        'https://index.docker.io/v1/': { auth: base64('hub:h') },
        'token.example': { auth: '', identitytoken: 'long' },
      },
    }),
  );
  expect(await client.auth('r.example:5000/x/y:1')).toEqual({ username: 'ann', password: 'a:b' });
  for (const ref of ['debian:12', 'library/debian', 'docker.io/library/debian'])
    expect(await client.auth(ref)).toEqual({ username: 'hub', password: 'h' });
  expect(await client.auth('token.example/x')).toEqual({ identityToken: 'long' });
  expect(await client.auth('r.example/x')).toBeUndefined();
});

test('a credential helper is asked where one is named, for one registry or all', async () => {
  using client = clientFolder(
    JSON.stringify({
      credsStore: 'all',
      credHelpers: { 'one.example': 'one' },
      auths: { 'none.example': { auth: base64('in:file') } },
    }),
    {
      all: 'read server; if [ "$server" = none.example ]; then echo "credentials not found in native keychain"; exit 1; fi\necho "{\\"Username\\": \\"$server\\", \\"Secret\\": \\"s\\"}"',
      one: 'echo \'{"Username": "<token>", "Secret": "t"}\'',
    },
  );
  expect(await client.auth('any.example/x')).toEqual({ username: 'any.example', password: 's' });
  expect(await client.auth('one.example/x')).toEqual({ identityToken: 't' });
  expect(await client.auth('none.example/x')).toEqual({ username: 'in', password: 'file' });
});

test.each([
  ['{"auths": hunter2', {}, /config\.json: is no JSON$/],
  ['{"credsStore": "../sh"}', {}, /docker-credential-\.\.\/sh: is no name of a credential helper$/],
  ['{"credsStore": "absent"}', {}, /docker-credential-absent: can't be run: ENOENT$/],
  ['{"credsStore": "bad"}', { bad: 'echo hunter2; exit 3' }, /docker-credential-bad: ended with status 3$/],
  ['{"credsStore": "bad"}', { bad: 'echo hunter2' }, /did not answer as credential helpers do$/],
])('%s can’t be used, and no secret is told', async (config, helpers, message) => {
  using client = clientFolder(config, helpers);
  const error = await client.auth('r.example/x').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(message) });
  expect(String(error)).not.toContain('hunter2');
});

test('who never logged in anywhere has none', async () => {
  expect(await registryAuth('r.example/x', { DOCKER_CONFIG: '/no/such/folder' })).toBeUndefined();
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findEngine, parseEngineAddress } from './address.ts';

test.for([
  ['unix:///run/x.sock', { socketPath: '/run/x.sock' }],
  ['tcp://box:2375', { host: 'box', port: 2375, tls: undefined }],
  ['http://box', { host: 'box', port: 2375, tls: undefined }],
  ['box:1234', { host: 'box', port: 1234, tls: undefined }],
] as const)('DOCKER_HOST=%s is understood', ([text, expected]) => {
  expect(findEngine({ DOCKER_HOST: text })).toEqual({ display: text, ...expected });
});

test.for(['unix://', 'ftp://x', 'tcp://', '://'])('DOCKER_HOST=%s is refused, with what is allowed', (text) => {
  expect(() => parseEngineAddress(text, {})).toThrow(
    `DOCKER_HOST is "${text}"; allowed: unix:///path, tcp://host:port`,
  );
});

test('an ssh address is refused with the way to forward it', () => {
  expect(() => parseEngineAddress('ssh://me@box', {})).toThrow('ssh -nNT -L /tmp/engine.sock:/var/run/docker.sock box');
});

test('TLS takes its files from DOCKER_CERT_PATH and names the one that is missing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ssebench-test-'));
  try {
    const env = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: directory };
    for (const name of ['ca.pem', 'cert.pem']) await writeFile(join(directory, name), name);
    expect(() => parseEngineAddress('tcp://box', env)).toThrow(`${directory}/key.pem can't be read`);
    await writeFile(join(directory, 'key.pem'), 'key.pem');
    const tls = { ca: Buffer.from('ca.pem'), cert: Buffer.from('cert.pem'), key: Buffer.from('key.pem') };
    expect(parseEngineAddress('tcp://box', env)).toEqual({ display: 'tcp://box', host: 'box', port: 2376, tls });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('without DOCKER_HOST the first socket that may be opened is taken', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ssebench-test-'));
  try {
    await writeFile(join(directory, 'docker.sock'), '');
    const found = findEngine({ XDG_RUNTIME_DIR: directory });
    expect(['unix:///var/run/docker.sock', `unix://${directory}/docker.sock`]).toContain(found.display);
  } finally {
    await rm(directory, { recursive: true });
  }
});

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { loadSettings } from '../config/settings.ts';
import {
  bootstrapCheck,
  certificatesCheck,
  homeCheck,
  nodeCheck,
  providerKeysCheck,
  randomisationCheck,
} from './host-checks.ts';

test('a Node.js that is too old fails', () => {
  expect([nodeCheck('24.0.0').status, nodeCheck('22.21.1').status]).toEqual(['ok', 'fail']);
});

test('more random bits than AddressSanitizer bears are a warning with the command that ends it', () => {
  using folder = cliFolder({ low: '28\n', high: '32\n' });
  expect(randomisationCheck(join(folder.dir, 'low')).status).toBe('ok');
  expect(randomisationCheck(join(folder.dir, 'no')).status).toBe('ok');
  expect(randomisationCheck(join(folder.dir, 'high'))).toMatchObject({
    status: 'warn',
    fix: expect.stringContaining('sysctl vm.mmap_rnd_bits=28'),
  });
});

test('a home without its folders fails and names them', () => {
  using folder = cliFolder();
  expect(homeCheck({ home: folder.dir, workspace: folder.dir })).toMatchObject({
    status: 'fail',
    detail: `${folder.dir} has no images, datasets`,
  });
});

test('provider keys are told with where they come from and how many models need them', () => {
  using folder = cliFolder();
  const look = (env: NodeJS.ProcessEnv) => providerKeysCheck(join(folder.dir, 'models'), loadSettings(folder.dir, env));
  expect(look({})).toMatchObject({
    check: { status: 'warn', detail: 'MAKER_KEY (1 model) is not set' },
    missing: { 'model-one': ['MAKER_KEY'], 'model-two': [] },
  });
  expect(look({ MAKER_KEY: 'k' })).toMatchObject({
    check: { status: 'ok', detail: 'MAKER_KEY (1 model) is set in the environment' },
    missing: { 'model-one': [], 'model-two': [] },
  });
  folder.write('models/torn.yaml', '- [');
  expect(look({}).check).toMatchObject({ status: 'fail', detail: expect.stringContaining('torn.yaml:1: ') });
});

test('a CA file that can not be read fails', () => {
  using folder = cliFolder();
  const settings = loadSettings(folder.dir, { SSEBENCH_EXTRA_CA: 'no.pem' });
  expect(certificatesCheck(settings)).toMatchObject({ status: 'fail', detail: expect.stringContaining('no.pem') });
});

test('without the root image and without mmdebstrap there is no way around a registry', () => {
  using folder = cliFolder({ 'bin/mmdebstrap': '#!/bin/sh\n' });
  expect(bootstrapCheck(true, '').status).toBe('ok');
  expect(bootstrapCheck(false, join(folder.dir, 'bin')).status).toBe('ok');
  expect(bootstrapCheck(false, folder.dir)).toMatchObject({ status: 'warn', fix: 'sudo apt-get install mmdebstrap' });
});

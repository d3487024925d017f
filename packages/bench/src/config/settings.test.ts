import { expect, test } from 'vitest';
import { cliFolder } from '../cli/test-cli.ts';
import { loadSettings } from './settings.ts';

test('the environment comes before .env, values are trimmed, and an empty one is unset', () => {
  using folder = cliFolder({ '.env': '# keys\nexport A_KEY=" file "\nB_KEY=file\nC_KEY=\n' });
  const settings = loadSettings(folder.dir, { B_KEY: ' shell ', C_KEY: ' ', A_KEY: '' });
  expect(['A_KEY', 'B_KEY', 'C_KEY', 'D_KEY'].map((name) => [settings.get(name), settings.sourceOf(name)])).toEqual([
    ['file', '.env'],
    ['shell', 'environment'],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test.each([
  [undefined, 'localhost/ssebench'],
  ['example.org:5000/lab/', 'example.org:5000/lab'],
  ['ghcr.io/owner/name', 'ghcr.io/owner/name'],
])('the registry %s gives the prefix %s', (value, registry) => {
  using folder = cliFolder();
  expect(loadSettings(folder.dir, { SSEBENCH_REGISTRY: value }).registry).toBe(registry);
});

test.each(['Upper/case', 'a//b', 'a b', 'https://example.org/x', 'x:tag:y', '-a'])('%j is no prefix', (value) => {
  using folder = cliFolder();
  expect(() => loadSettings(folder.dir, { SSEBENCH_REGISTRY: value })).toThrow(/^SSEBENCH_REGISTRY: /);
});

test('a CA file is relative to the workspace, and "none" is no path', () => {
  using folder = cliFolder();
  expect(loadSettings(folder.dir, { SSEBENCH_EXTRA_CA: 'certs/ca.pem' }).extraCa).toBe(`${folder.dir}/certs/ca.pem`);
  expect(loadSettings(folder.dir, { SSEBENCH_EXTRA_CA: 'none' }).extraCa).toBe('none');
});

test('whether host directories may be used is one of two words', () => {
  using folder = cliFolder();
  const { dir } = folder;
  expect(loadSettings(dir, {}).hostMounts).toBe('auto');
  expect(loadSettings(dir, { SSEBENCH_HOST_MOUNTS: ' off ' }).hostMounts).toBe('off');
  expect(() => loadSettings(dir, { SSEBENCH_HOST_MOUNTS: 'no' })).toThrow('is not one of: auto, off');
});

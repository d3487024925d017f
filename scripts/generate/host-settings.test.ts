import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOST_SETTINGS } from './host-settings.ts';

/** What the command and its launcher set, and nobody else: arguments of Dockerfiles and the Compose file, and where the launcher's bundle is. */
const OWN = [
  'SSEBENCH_ROOT',
  'SSEBENCH_NODE',
  'SSEBENCH_NPM_REGISTRY',
  'SSEBENCH_DEBIAN',
  'SSEBENCH_BUNDLE',
  'SSEBENCH_ENV_FILE',
  'SSEBENCH_LITELLM_CONTEXT',
];

test('every setting that the code on the host names is in the table, and none that it does not', () => {
  const named = new Set<string>();
  for (const part of ['bench', 'engine', 'gateway']) {
    const top = join(import.meta.dirname, '../../packages', part, 'src');
    for (const name of readdirSync(top, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || /\.test\.ts$|(?:^|\/)testing\//.test(name)) continue;
      for (const [word] of readFileSync(join(top, name), 'utf8').matchAll(/\bSSEBENCH_[A-Z_]*[A-Z]/g)) named.add(word);
    }
  }
  for (const name of OWN) named.delete(name);
  const listed = Object.keys(HOST_SETTINGS).filter((name) => name.startsWith('SSEBENCH_'));
  expect([...named].sort()).toEqual(listed.sort());
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const AGENTS = fileURLToPath(new URL('.', import.meta.url));
const names = readdirSync(AGENTS).filter((name) => existsSync(`${AGENTS}${name}/package.json`));

interface Locked {
  version?: string;
  integrity?: string;
}

describe.each(names)('the program of %s', (name) => {
  const read = (file: string) => readFileSync(`${AGENTS}${name}/${file}`, 'utf8');
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(read('package.json')) as Record<
    string,
    Record<string, string> | undefined
  >;
  const wanted = Object.entries({ ...dependencies, ...optionalDependencies });
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };

  test('is one exact version, which is the agent’s', () => {
    const [, version = 'none'] = /^version: "(.+)"$/m.exec(read('agent.yaml')) ?? [];
    expect(wanted.map(([, asked]) => asked)).toContain(version);
    for (const [program, asked] of wanted) expect(packages[`node_modules/${program}`]?.version).toBe(asked);
  });

  test('is checked byte for byte, with all that comes with it', () => {
    const installed = Object.entries(packages).filter(([path]) => path !== '');
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });
});

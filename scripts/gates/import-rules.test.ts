import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { forbiddenImports } from './import-rules.ts';

const root = mkdtempSync(join(tmpdir(), 'import-rules-'));
afterAll(() => rmSync(root, { recursive: true }));

function check(file: string, source: string): string[] {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), source);
  return forbiddenImports(root, file);
}

test('a package imports what its rule allows, its own files, libraries and Node.js', () => {
  const source = `
    import { z } from 'zod';
    import { readFile } from 'node:fs/promises';
    import { X } from '@ssebench/contracts/x';
    import type { Port } from '@ssebench/engine/port';
    export { other } from '../other.ts';`;
  expect(check('packages/bench/src/a/b.ts', source)).toEqual([]);
});

test.each([
  ['a value', `import { run } from '@ssebench/bench/run';`],
  ['a type', `import type { Run } from '@ssebench/bench/run';`],
  ['a re-export', `export * from '@ssebench/bench/run';`],
  ['a late import', `const run = await import('@ssebench/bench/run');`],
])('%s from a package that the rule does not name is refused with its place', (_kind, source) => {
  expect(check('packages/engine/src/a.ts', `\n${source}`)).toEqual([
    'packages/engine/src/a.ts:2: engine may not import @ssebench/bench/run; allowed: contracts',
  ]);
});

test('a relative path into another package is refused', () => {
  const source = `import { x } from '../../contracts/src/x.ts';`;
  expect(check('packages/engine/src/a.ts', source)).toEqual([
    'packages/engine/src/a.ts:1: ../../contracts/src/x.ts leaves the package; import @ssebench/<package>/<file>',
  ]);
});

test('a package without a rule is refused, and files outside the packages are free', () => {
  expect(check('packages/new/src/a.ts', '')).toEqual([expect.stringContaining('package new has no import rule')]);
  expect(check('tests/e2e/a.test.ts', `import { x } from '@ssebench/bench/x';`)).toEqual([]);
});

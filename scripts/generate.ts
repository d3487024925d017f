import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { commandHelp } from '@ssebench/bench/cli/help';
import { jsonSchemas } from './generate/json-schemas.ts';
import { openApiDocument } from './generate/openapi.ts';
import { referenceTables } from './generate/reference-tables.ts';

/**
 * Writes every file that is derived from `packages/contracts` and from the command's options. With `--check` writes nothing, and lists those that are
 * missing, differ or are not generated any more; status 1 when there is one.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });

/** Folders that hold nothing but generated files. */
const GENERATED_FOLDERS = ['datasets/schema', 'docs/schema'];

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const { version } = JSON.parse(readFileSync('packages/contracts/package.json', 'utf8')) as { version: string };
const files: Record<string, string> = {
  ...Object.fromEntries(Object.entries(jsonSchemas()).map(([path, schema]) => [path, json(schema)])),
  'docs/daemon-api.openapi.json': json(openApiDocument(version)),
  ...referenceTables(),
  'packages/bench/src/cli/help.json': json(commandHelp()),
};

for (const folder of GENERATED_FOLDERS) mkdirSync(folder, { recursive: true });
const stray = GENERATED_FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))).filter(
  (path) => !(path in files),
);

if (values.check) {
  const stale = Object.entries(files).flatMap(([path, text]) => {
    const found = read(path);
    if (found === text) return [];
    return [`${path}: ${found === undefined ? 'missing' : 'differs'}`];
  });
  const problems = [...stale, ...stray.map((path) => `${path}: not generated any more`)];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.stderr.write('Run: npm run generate\n');
  process.exitCode = problems.length > 0 ? 1 : 0;
} else {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    if (read(path) !== text) writeFileSync(path, text);
  }
  for (const path of stray) rmSync(path);
}

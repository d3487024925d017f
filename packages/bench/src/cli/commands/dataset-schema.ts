import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { staleness, writeGenerated } from '../../datasets/generated-file.ts';
import { datasetSchemas, renderSchema } from '../../datasets/schemas.ts';
import { print } from '../output.ts';

export interface DatasetSchemaOptions {
  output?: string;
  check?: boolean;
}

/** `ssebench dataset schema`. Status 1 when `check` finds a file missing or out of date. Source: spec/host §§1.4, 2.4. */
export async function datasetSchema({ output, check = false }: DatasetSchemaOptions): Promise<number> {
  const dir = output === undefined ? join(findHome().home, 'datasets/schema') : resolve(output);
  const files = Object.entries(datasetSchemas()).map(([name, schema]) => ({
    path: join(dir, name),
    text: renderSchema(schema),
  }));
  if (check) {
    const problems = files.flatMap((file) => staleness(file, 0, 'ssebench dataset schema').slice(0, 1));
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    if (problems.length === 0) print(`${files.length} schemas are up to date`);
    return problems.length > 0 ? 1 : 0;
  }
  mkdirSync(dir, { recursive: true });
  for (const file of files) await writeGenerated(file);
  print(`wrote ${files.length} schemas`);
  return 0;
}

import { readFileSync } from 'node:fs';
import { LeakQuery } from '@ssebench/contracts/leaks';
import { scanForLeaks } from './scan.ts';

/** `leaks QUERY`: prints what `scanForLeaks` finds for the query in this file, as JSON. */
export async function runLeaks([path]: readonly string[]): Promise<number> {
  if (path === undefined) {
    process.stderr.write('leaks: the file of the query is missing\n');
    return 1;
  }
  const query = LeakQuery.parse(JSON.parse(readFileSync(path, 'utf8')));
  process.stdout.write(`${JSON.stringify(await scanForLeaks({ ...query, without: [...query.without, path] }))}\n`);
  return 0;
}

import { join } from 'node:path';
import { EVIDENCE, type RecordedTests } from '@ssebench/contracts/task-expect';
import { writeFileAtomic } from '../../results/atomic-write.ts';

/** Writes the tests that passed under the reference into the task's folder. */
export async function recordTests(dir: string, tests: RecordedTests): Promise<void> {
  await writeFileAtomic(join(dir, EVIDENCE.tests), `${JSON.stringify(tests, null, 2)}\n`);
}

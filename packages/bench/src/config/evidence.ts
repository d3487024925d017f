import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVIDENCE, RecordedTests, TaskExpect, type TaskTests } from '@ssebench/contracts/task-expect';
import { UserError } from '../cli/errors.ts';
import { showPath } from './show-path.ts';
import { readYaml } from './yaml-document.ts';

const NO_EXPECTATIONS: TaskExpect = { pocs: {}, tests: null };

/** A task's `sse/expect.yaml`; a task without one expects nothing. @throws UserError with every problem and its line */
export function readExpect(dir: string): TaskExpect {
  const path = join(dir, EVIDENCE.expect);
  return existsSync(path) ? readYaml(path, TaskExpect).value : NO_EXPECTATIONS;
}

/** The task's recorded tests; null when none were. @throws UserError for a file that is no such record */
export function readRecordedTests(dir: string): RecordedTests | null {
  const path = join(dir, EVIDENCE.tests);
  if (!existsSync(path)) return null;
  try {
    return RecordedTests.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new UserError(`${showPath(path)}: is no record of tests: write it with "dataset verify --record"`, 1, {
      cause,
    });
  }
}

/** Null unless the task says how its tests are named and they were recorded. @throws UserError as the two above */
export function readTaskTests(dir: string): TaskTests | null {
  const recorded = readRecordedTests(dir);
  const names = recorded && readExpect(dir).tests;
  return recorded && names ? { names, recorded } : null;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STARTER_FILE, STARTER_FIX, STARTER_SOURCE, STARTER_TASK } from './starter-scenario.ts';

const TASK = join(import.meta.dirname, '../../../../datasets/starter', STARTER_TASK);

test("the scenario's edit is the task's own fix", () => {
  expect(readFileSync(join(TASK, 'sse/config.yaml'), 'utf8')).toContain(`source: ${STARTER_SOURCE}\n`);
  expect(readFileSync(join(TASK, 'src', STARTER_FILE), 'utf8').split(`${STARTER_FIX.old}\n`)).toHaveLength(2);
  const changes = readFileSync(join(TASK, 'sse/diffs/patch.diff'), 'utf8').match(/^[-+][^-+].*$/gm);
  const added = STARTER_FIX.new.split('\n').map((line) => `+${line}`);
  expect(changes).toEqual([`-${STARTER_FIX.old}`, ...added]);
});

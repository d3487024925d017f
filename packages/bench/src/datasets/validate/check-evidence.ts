import { join } from 'node:path';
import { CONTROL_KINDS, controlKind, EVIDENCE, RecordedTests, TaskExpect } from '@ssebench/contracts/task-expect';
import { DocumentError, readYaml } from '@ssebench/contracts/yaml-document';
import type { z } from 'zod';
import { readDiff, sourceReader, tryApplying } from './check-diffs.ts';
import { isAtHand } from './dockerfile-model.ts';
import type { TaskContext } from './task-context.ts';

/** What an author keeps to prove the task by: control patches, what checks print, the tests that passed. None of it is required. */
export function checkEvidence(context: TaskContext): void {
  checkControls(context);
  const expect = readEvidence(context, EVIDENCE.expect, TaskExpect);
  const pocs = context.config.files.poc ?? [];
  for (const poc of Object.keys(expect?.value.pocs ?? {})) {
    if (pocs.includes(poc)) continue;
    const place = { file: EVIDENCE.expect, line: expect?.lineOf(['pocs', poc]) ?? null, key: `pocs.${poc}` };
    context.report('evidence', place, `found "${poc}", which is not in files.poc`);
  }
  readEvidence(context, EVIDENCE.tests, RecordedTests);
}

function checkControls(context: TaskContext): void {
  const { tree, dockerfile, config, report } = context;
  const atHand = isAtHand(dockerfile, tree, config.source);
  for (const file of [...tree.files].filter((path) => path.startsWith(`${EVIDENCE.controls}/`))) {
    const name = file.slice(EVIDENCE.controls.length + 1);
    if (!controlKind(name)) {
      const kinds = Object.keys(CONTROL_KINDS).join(', ');
      report('evidence', { file }, `found "${name}", must be KIND.diff or KIND-WORDS.diff, of the kinds ${kinds}`);
      continue;
    }
    const diff = readDiff(context, { file });
    if (diff && atHand) tryApplying(context, diff, sourceReader(context));
  }
}

function readEvidence<S extends z.ZodType>({ tree, report }: TaskContext, file: string, schema: S) {
  if (!tree.files.has(file)) return undefined;
  try {
    return readYaml(join(tree.root, file), schema, file);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    for (const { line = null, key = null, message } of error.problems) {
      report('evidence', { file, line, key }, message);
    }
    return undefined;
  }
}

import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { type CheckRecord, ChecksFile } from '@ssebench/contracts/checks';
import { RESULT_FILE } from '@ssebench/contracts/layout';
import { UserError } from '../../cli/errors.ts';
import { readExpect } from '../../config/evidence.ts';
import { showPath } from '../../config/show-path.ts';
import type { Task } from '../../config/tasks.ts';
import { checkGradeArguments, type World } from '../../run/check-arguments.ts';
import type { GradingOptions } from '../../run/command-line.ts';
import { executeGrade } from '../../run/execute-grade.ts';
import type { RunContext } from '../../run/run-stage.ts';
import { readDockerfile, sourceOf } from '../validate/dockerfile-model.ts';
import { readTaskTree } from '../validate/task-tree.ts';
import { type Tree, type Trial, trialOf } from './expectation.ts';

/** What the scripts did on one tree. */
export interface TreeTrial {
  tree: Tree;
  trials: readonly Trial[];
  /** The run's directory, where the scripts' output is; gone when `tryTask` has returned. */
  directory: string;
  /** Why nothing could be graded. */
  error: string | null;
  interrupted: boolean;
}

/**
 * Grades a task twice by the path of every run: nothing at all as a patch, and the reference patch. Tells each tree as soon as
 * it is through; ends early when a tree can't be graded. Leaves nothing behind.
 */
export async function tryTask(
  task: Task,
  options: Omit<GradingOptions, 'task'>,
  { world, context }: { world: World; context: () => RunContext },
  tell: (trial: TreeTrial) => void,
): Promise<void> {
  const expect = readExpect(task.dir);
  const folder = await mkdtemp(join(tmpdir(), 'ssebench-try-'));
  try {
    const nothing = join(folder, 'nothing.patch');
    await writeFile(nothing, '');
    const patches: [Tree, string][] = [['vulnerable', nothing]];
    if (task.config.files.patch !== null) patches.push(['fixed', fileOf(task, task.config.files.patch)]);
    for (const [tree, file] of patches) {
      const named = { task: task.id, local: dirname(task.dir), patch: file };
      const { plan } = checkGradeArguments({ ...options, ...named }, { ...world, cwd: folder });
      const { directory, patchResult, interrupted } = await executeGrade(
        { ...plan, runId: `${plan.runId}-${tree}` },
        context(),
      );
      const error = patchResult.status === 'error' ? (patchResult.error_msg ?? 'no grade') : null;
      const checks = error === null ? await checksIn(directory) : [];
      const output = ({ log }: CheckRecord) => (log === null ? undefined : readFileSync(join(directory, log), 'utf8'));
      const known = { config: task.config, expect, output };
      tell({ tree, trials: checks.map((it) => trialOf(it, tree, known)), directory, error, interrupted });
      if (error !== null || interrupted) return;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The file of the task folder that the image has at a path of the config. @throws UserError when there is none */
function fileOf({ dir }: Task, path: string): string {
  const tree = readTaskTree(dir, () => undefined);
  const file = sourceOf(readDockerfile(tree.text('Dockerfile') ?? ''), tree, posix.join('/ssebench', path));
  if (file !== undefined) return join(dir, file);
  throw new UserError(
    `${showPath(dir)}: the Dockerfile puts no file at /ssebench/${path}; run: ssebench dataset validate ${showPath(dir)}`,
  );
}

async function checksIn(directory: string) {
  return ChecksFile.parse(JSON.parse(await readFile(join(directory, RESULT_FILE.checks), 'utf8')));
}

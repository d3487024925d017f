import { posix } from 'node:path';
import { isTestFile } from '@ssebench/contracts/test-files';
import ignore from 'ignore';
import { applyDiff, type ReadSource } from './apply-diff.ts';
import { FILL_IN } from './check-fill-ins.ts';
import { isAtHand, sourceOf } from './dockerfile-model.ts';
import { type NamedFile, named, type TaskContext } from './task-context.ts';
import { DiffError, type FileChange, parseDiff } from './unified-diff.ts';

/** A diff that could be read. */
export interface Diff {
  file: string;
  changes: readonly FileChange[];
}

/**
 * The diffs: that they can be read, apply, and stay what they are for. Source: seeds/add-a-task, "The diffs".
 * @returns the reference patch, when there is one that can be read
 */
export function checkDiffs(context: TaskContext, files: readonly NamedFile[]): Diff | undefined {
  const patch = readDiff(context, named(files, 'files.patch'));
  const hidden = readDiff(context, named(files, 'files.future_test'));
  for (const key of ['files.security_test', 'files.intent_test']) readDiff(context, named(files, key));
  checkApplying(context, patch, hidden);
  if (patch) checkPatch(context, patch);
  if (patch && hidden) checkHiddenTests(context, patch, hidden);
  return patch;
}

/** Reads a diff, and reports what can't be read of it; undefined then. */
export function readDiff({ tree, report }: TaskContext, { file, key }: Partial<NamedFile> = {}): Diff | undefined {
  const bytes = file === undefined ? undefined : tree.bytes(file);
  // One that is still to be written is told by its mark.
  if (file === undefined || bytes === undefined || bytes.includes(FILL_IN)) return undefined;
  try {
    return { file, changes: parseDiff(bytes.toString('latin1')) };
  } catch (error) {
    if (!(error instanceof DiffError)) throw error;
    report('diff-syntax', { file, line: error.line, key: key ?? null }, error.message);
    return undefined;
  }
}

function checkApplying(context: TaskContext, patch: Diff | undefined, hidden: Diff | undefined): void {
  const { dockerfile, tree, config } = context;
  if (!isAtHand(dockerfile, tree, config.source)) return;
  const fixed = patch ? tryApplying(context, patch, sourceReader(context)) : sourceReader(context);
  if (hidden && fixed) tryApplying(context, hidden, fixed);
}

/** The source after a diff; undefined, and reported, when it does not apply. */
export function tryApplying(
  { report }: TaskContext,
  { file, changes }: Diff,
  source: ReadSource,
): ReadSource | undefined {
  try {
    return applyDiff(changes, source);
  } catch (error) {
    if (!(error instanceof DiffError)) throw error;
    report('diff-apply', { file, line: error.line }, error.message);
    return undefined;
  }
}

/** The project's files as the image has them. */
export function sourceReader({ dockerfile, tree, config }: TaskContext): ReadSource {
  return (path) => {
    const file = sourceOf(dockerfile, tree, posix.join(config.source, path));
    return file === undefined ? undefined : tree.bytes(file)?.toString('latin1');
  };
}

function checkPatch(context: TaskContext, { file, changes }: Diff): void {
  const read = sourceReader(context);
  const atHand = isAtHand(context.dockerfile, context.tree, context.config.source);
  for (const { newPath, oldPath, line } of changes) {
    const path = newPath ?? oldPath ?? '';
    const by = atHand ? ignoredBy(path, read) : undefined;
    if (by) context.report('patch-ignored', { file, line }, `changes ${path}, which ${by} tells git to ignore`);
    if (isTestFile(path)) {
      const message = `changes ${path}, which is a test or decides how tests run; the fix alone belongs here`;
      context.report('patch-has-tests', { file, line }, message);
    }
  }
}

/** The `.gitignore` that decides that a path is ignored: the deepest one that says anything. */
function ignoredBy(path: string, read: ReadSource): string | undefined {
  const parts = path.split('/');
  let decided: string | undefined;
  for (let depth = 0; depth < parts.length; depth++) {
    const file = [...parts.slice(0, depth), '.gitignore'].join('/');
    const text = read(file);
    if (text === undefined) continue;
    const { ignored, unignored } = ignore().add(text).test(parts.slice(depth).join('/'));
    if (ignored) decided = file;
    else if (unignored) decided = undefined;
  }
  return decided;
}

function checkHiddenTests({ report }: TaskContext, patch: Diff, { file, changes }: Diff): void {
  const fixed = new Set(patch.changes.flatMap(({ newPath, oldPath }) => [newPath, oldPath]));
  for (const { newPath, oldPath, line } of changes) {
    const path = newPath ?? oldPath;
    if (!fixed.has(path) || path === null || isTestFile(path)) continue;
    report('tests-have-source', { file, line }, `changes ${path}, which the reference patch changes, too`);
  }
}

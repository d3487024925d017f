import { statfsSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultError, fault } from '@ssebench/contracts/faults';
import { removeTree } from '../system/remove-tree.ts';
import type { CommandResult } from '../system/run-command.ts';
import { layOutRepository } from './baseline.ts';
import { type GitPlace, startGit } from './git.ts';

const TIME_LIMIT_MS = 600_000;
/** Less room than this where a patch is applied to is a fault of the machine. */
const LOW_SPACE_BYTES = 16 * 1024 * 1024;
const LOW_SPACE_FILES = 256;

export interface ApplyOptions {
  patchPath: string;
  /** A tree without `.git`. Files that the patch creates belong to the caller's user. */
  repo: string;
  timeoutMs?: number;
}

/** `output`: git's words. A patch that does not apply leaves the tree as it was, links that lead to themselves aside. */
export type ApplyOutcome = { applied: true } | { applied: false; output: string };

/**
 * Applies a patch byte for byte: no attribute or setting of the tree converts anything, no path leads out of the
 * tree, whether by `..`, by `.git` or through a link. An empty patch applies.
 * @throws FaultError `grading_failed` when git could not do its work: not started, killed, no room
 */
export async function applyPatch(options: ApplyOptions): Promise<ApplyOutcome> {
  if (statSync(options.patchPath).size === 0) return { applied: true };
  const scratch = await mkdtemp(join(tmpdir(), 'ssebench-apply-'));
  try {
    const gitDir = join(scratch, 'git');
    layOutRepository(gitDir);
    const place: GitPlace = { gitDir, workTree: options.repo, home: scratch };
    const apply = (...more: string[]) =>
      startGit(place, ['apply', '--binary', '--whitespace=nowarn', ...more, '--', options.patchPath], {
        timeoutMs: options.timeoutMs ?? TIME_LIMIT_MS,
        capBytes: 64 * 1024,
      });
    const loops = await loopsInTheWay(place, options);
    const rest = loops.map((path) => `--exclude=${literal(path)}`);
    if (loops.length > 0) ended(await apply(...loops.map((path) => `--include=${literal(path)}`)));
    const checked = ended(await apply('--check', ...rest));
    if (checked.code !== 0) return { applied: false, output: checked.stderr.toText() };
    const applied = ended(await apply(...rest));
    if (applied.code === 0) return { applied: true };
    if (isNearlyFull(options.repo))
      throw new FaultError(fault('grading_failed', `no room to apply the patch: ${applied.stderr.toText()}`));
    return { applied: false, output: applied.stderr.toText() };
  } finally {
    await removeTree(scratch);
  }
}

/**
 * Links of the tree that lead to themselves and have a path of the patch beneath them. git can't look beneath such a link,
 * so what the patch does to the link itself must be done first.
 */
async function loopsInTheWay(place: GitPlace, { patchPath, repo, timeoutMs }: ApplyOptions): Promise<string[]> {
  const args = ['apply', '--numstat', '-z', '--', patchPath];
  const listed = ended(await startGit(place, args, { timeoutMs: timeoutMs ?? TIME_LIMIT_MS }));
  const paths = listed.stdout
    .toText()
    .split('\0')
    .map((line) => line.split('\t').slice(2).join('\t'));
  const above = new Set(paths.flatMap(ancestors));
  return [...above].filter((path) => isLoop(join(repo, path)));
}

/** `a` and `a/b` for `a/b/c`. */
function ancestors(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isLoop(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}

/** A pattern of git's that matches this path alone. */
function literal(path: string): string {
  return path.replace(/[*?[\\]/g, '\\$&');
}

/** Whatever is not git's own answer is a fault. */
function ended(result: CommandResult): CommandResult {
  if (result.code !== null) return result;
  const why = result.notStarted?.code ?? (result.timedOut ? 'time limit' : result.signal);
  throw new FaultError(fault('grading_failed', `git apply did not end by itself: ${why}`));
}

/** Whether the file system of `directory` has too little room to blame a failure on what was written. */
export function isNearlyFull(directory: string): boolean {
  const { bavail, bsize, ffree, files } = statfsSync(directory);
  return bavail * bsize < LOW_SPACE_BYTES || (files > 0 && ffree < LOW_SPACE_FILES);
}

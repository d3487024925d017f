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

/** `output`: git's words. A patch that does not apply leaves the tree as it was. */
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
    const checked = ended(await apply('--check'));
    if (checked.code !== 0) return { applied: false, output: checked.stderr.toText() };
    const applied = ended(await apply());
    if (applied.code === 0) return { applied: true };
    if (isNearlyFull(options.repo))
      throw new FaultError(fault('grading_failed', `no room to apply the patch: ${applied.stderr.toText()}`));
    return { applied: false, output: applied.stderr.toText() };
  } finally {
    await removeTree(scratch);
  }
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

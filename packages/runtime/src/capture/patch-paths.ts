import { statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../system/remove-tree.ts';
import { layOutRepository } from './baseline.ts';
import { type GitPlace, git } from './git.ts';
import type { BytePath } from './paths.ts';

const TIME_LIMIT_MS = 600_000;
/** More names than this in one patch are a fault. Bytes. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/**
 * Every path that a patch changes, adds or deletes, as `git apply` reads the patch: both names of a rename. An empty
 * patch has none. The paths come from the patch and may be anything: whoever uses them checks where they lead.
 * @throws GitError for what is no patch
 */
export async function patchPaths(patchPath: string): Promise<Set<BytePath>> {
  if (statSync(patchPath).size === 0) return new Set();
  const scratch = await mkdtemp(join(tmpdir(), 'ssebench-paths-'));
  try {
    const gitDir = join(scratch, 'git');
    layOutRepository(gitDir);
    const place: GitPlace = { gitDir, workTree: scratch, home: scratch };
    const list = async (...more: string[]) => {
      const args = ['apply', '--numstat', '-z', '--whitespace=nowarn', ...more, '--', patchPath];
      return pathsOf((await git(place, args, { timeoutMs: TIME_LIMIT_MS, capBytes: MAX_OUTPUT })).stdout.toBuffer());
    };
    // A patch names what it makes; its reverse, what it takes away.
    const [made, taken] = await Promise.all([list(), list('--reverse')]);
    return new Set([...made, ...taken]);
  } finally {
    await removeTree(scratch);
  }
}

/** Each entry is `<added> TAB <deleted> TAB <path> NUL`. */
function pathsOf(output: Buffer): BytePath[] {
  const entries = output.toString('latin1').split('\0');
  entries.pop();
  return entries.map((entry) => entry.split('\t').slice(2).join('\t'));
}

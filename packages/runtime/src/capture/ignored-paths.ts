import { lstatSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../system/remove-tree.ts';
import { layOutRepository } from './baseline.ts';
import { type GitPlace, git } from './git.ts';
import { type BytePath, fromNulTerminated, toNulTerminated, toSystemPath } from './paths.ts';

const TIME_LIMIT_MS = 600_000;

/**
 * Those of `paths` that the `.gitignore` files of `tree` ignore, whether they exist or not: what its project calls the
 * products of a build. Nothing beyond a link is among them.
 * @throws GitError
 */
export async function ignoredPaths(tree: string, paths: readonly BytePath[]): Promise<Set<BytePath>> {
  const beyondLink = linkFinder(tree);
  const asked = paths.filter((path) => !beyondLink(path));
  if (asked.length === 0) return new Set();
  const scratch = await mkdtemp(join(tmpdir(), 'ssebench-ignored-'));
  try {
    const gitDir = join(scratch, 'git');
    layOutRepository(gitDir);
    // This command of git's takes no literal paths, and behind `./` nothing has a meaning of its own.
    const place: GitPlace = { gitDir, workTree: tree, home: scratch, env: { GIT_LITERAL_PATHSPECS: '0' } };
    const call = { stdin: toNulTerminated(asked.map((path) => `./${path}`)), timeoutMs: TIME_LIMIT_MS };
    const { stdout } = await git(place, ['check-ignore', '--no-index', '-z', '--stdin'], call, [0, 1]);
    return new Set(fromNulTerminated(stdout.toBuffer()).map((path) => path.slice(2)));
  } finally {
    await removeTree(scratch);
  }
}

/** Whether a part of a path above its last one is a link, which git refuses to look beyond. */
function linkFinder(tree: string): (path: BytePath) => boolean {
  const known = new Map<BytePath, boolean>();
  const hasLink = (directory: BytePath): boolean => {
    const before = known.get(directory);
    if (before !== undefined) return before;
    const end = directory.lastIndexOf('/');
    const found = (end > 0 && hasLink(directory.slice(0, end))) || isLink(toSystemPath(tree, directory));
    known.set(directory, found);
    return found;
  };
  return (path) => path.includes('/') && hasLink(path.slice(0, path.lastIndexOf('/')));
}

function isLink(path: Buffer): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

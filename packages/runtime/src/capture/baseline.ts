import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../system/remove-tree.ts';
import { ATTRIBUTES, type GitPlace, git } from './git.ts';

const TIME_LIMIT_MS = 3_600_000;

/** Lays out a bare repository by hand: no template, hook or setting of the machine's gets in. */
export function layOutRepository(gitDir: string): void {
  for (const directory of ['', 'info', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads']) {
    mkdirSync(join(gitDir, directory), { mode: 0o755 });
  }
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/master\n');
  writeFileSync(join(gitDir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n');
  writeFileSync(join(gitDir, 'info', 'attributes'), ATTRIBUTES);
}

/**
 * Makes the repository that patches are measured against: one commit of everything in `tree` that its `.gitignore`
 * files do not ignore, byte for byte, packed, readable by all and writable by nobody. Returns the commit.
 * `gitDir` must not exist. `tree` must hold no `.git`.
 * @throws GitError with the step and git's words
 */
export async function makeBaseline(gitDir: string, tree: string): Promise<string> {
  layOutRepository(gitDir);
  const home = await mkdtemp(join(tmpdir(), 'ssebench-baseline-'));
  try {
    const place: GitPlace = { gitDir, workTree: tree, home, env: IDENTITY };
    const call = { timeoutMs: TIME_LIMIT_MS };
    await git(place, ['add', '--all', '--', '.'], call);
    await git(place, ['commit', '--quiet', '--allow-empty', '--no-verify', '--message=baseline'], call);
    await git(place, ['repack', '-a', '-d', '-q'], call);
    await git(place, ['prune-packed', '-q'], call);
    await git(place, ['pack-refs', '--all'], call);
    const commit = await git(place, ['rev-parse', '--verify', 'HEAD^{commit}'], call);
    await removeTree(join(gitDir, 'index'));
    await removeTree(join(gitDir, 'logs'));
    await removeTree(join(gitDir, 'COMMIT_EDITMSG'));
    return commit.stdout.toText().trim();
  } finally {
    await removeTree(home);
  }
}

/** Constant, so that the same tree gives the same commit. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'SSEBench',
  GIT_AUTHOR_EMAIL: 'baseline@ssebench.invalid',
  GIT_AUTHOR_DATE: '2000-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'SSEBench',
  GIT_COMMITTER_EMAIL: 'baseline@ssebench.invalid',
  GIT_COMMITTER_DATE: '2000-01-01T00:00:00Z',
};

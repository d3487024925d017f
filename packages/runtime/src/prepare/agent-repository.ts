import { join } from 'node:path';
import { GIT } from '../capture/git.ts';
import { runCommand } from '../system/run-command.ts';
import type { OwnAccount } from './account-files.ts';
import { UnusableImageError } from './unusable.ts';

const TIME_LIMIT_MS = 3_600_000;

/**
 * Makes the repository that the agent finds in its tree, as the agent's user and under the tree's own rules: one
 * commit, `buggy commit`, and no other history (spec/runtime §5). Returns the commit.
 * @throws UnusableImageError with git's words
 */
export async function makeAgentRepository(root: string, source: string, agent: OwnAccount): Promise<string> {
  const tree = join(root, source);
  const git = async (...args: string[]): Promise<string> => {
    const result = await runCommand({
      argv: [GIT, ...args],
      cwd: tree,
      env: {
        PATH: '/usr/bin:/bin',
        HOME: join(root, agent.home),
        LC_ALL: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_CEILING_DIRECTORIES: join(tree, '..'),
      },
      uid: agent.uid,
      gid: agent.gid,
      timeoutMs: TIME_LIMIT_MS,
    });
    if (result.code === 0) return result.stdout.toText().trim();
    const why = result.notStarted?.code ?? result.stderr.toText().trim();
    throw new UnusableImageError(`git ${args[0]} failed in ${source}: ${why}`);
  };
  await git('init', '--quiet');
  // `init` can be told the name since 2.28 only.
  await git('symbolic-ref', 'HEAD', 'refs/heads/master');
  await git('add', '--all');
  await git('commit', '--quiet', '--allow-empty', '--no-verify', '--no-gpg-sign', '--message=buggy commit');
  await git('repack', '-a', '-d', '-q');
  return git('rev-parse', '--verify', 'HEAD^{commit}');
}

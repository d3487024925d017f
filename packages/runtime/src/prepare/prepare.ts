import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { CONTAINER } from '@ssebench/contracts/layout';
import type { PreparedImage } from '@ssebench/contracts/prepared-image';
import { makeBaseline } from '../capture/baseline.ts';
import { AGENT_COMMIT_FILE } from '../capture/commits-log.ts';
import { GitError } from '../capture/git.ts';
import { removeTree } from '../system/remove-tree.ts';
import { makeAccounts } from './accounts.ts';
import { makeAgentRepository } from './agent-repository.ts';
import { checkCaseImage } from './check-image.ts';
import { dropFileCapabilities } from './file-capabilities.ts';
import { ownTree, removeGit } from './source-tree.ts';
import { sweep } from './sweep.ts';
import { closeTaskDirectory, removeAnswers } from './task-directory.ts';
import { UnusableImageError } from './unusable.ts';

export interface PrepareOptions {
  variant: PreparedImage['variant'];
  /** The image's root file system: `/` but in tests. */
  root: string;
  /** The case image's `ENV`. */
  scriptEnv: Readonly<Record<string, string>>;
  /** Takes a line for each step. */
  log(line: string): void;
}

/** What people leave in root's home while they make an image. */
const LEFTOVERS = [
  '.bash_history',
  '.sh_history',
  '.zsh_history',
  '.python_history',
  '.lesshst',
  '.viminfo',
  '.wget-hsts',
  '.gitconfig',
];

/**
 * Turns a case image into a work or a tool image, in place and as root. Source of the steps: spec/runtime §5 and
 * design §§4, 7. The work image holds no answer; the tool image's source is the copy that grading applies to.
 * @throws UnusableImageError when the case image lacks something
 */
export async function prepareImage({ variant, root, scriptEnv, log }: PrepareOptions): Promise<PreparedImage> {
  const image = checkCaseImage(root);
  const { source } = image.task;
  const tree = join(root, source);
  log(`case image is complete, source ${source}`);

  const { agent, runner } = makeAccounts(root);
  log(`accounts ${agent.name} (${agent.uid}) and ${runner.name} (${runner.uid})`);
  const directory = await makeDirectories(root, runner.gid);

  const repositories = await removeGit(tree);
  // A project that is part of a larger repository: its history is above.
  for (let above = posix.dirname(source); above !== '/'; above = posix.dirname(above))
    await removeTree(join(root, above, '.git'));
  for (const name of LEFTOVERS) await removeTree(join(root, 'root', name));
  log(`removed ${repositories} git repositories of the source`);

  if (variant === 'work') log(`removed ${removeAnswers(root, image)} task files that the agent's image must not hold`);
  closeTaskDirectory(root);

  const baseline =
    variant === 'work' ? await withGitsWords(() => makeBaseline(join(root, CONTAINER.baseline), tree)) : null;
  if (baseline) log(`baseline ${baseline}`);

  const changed = sweep({
    root,
    uids: new Set([agent.uid, runner.uid]),
    gids: new Set([agent.gid, runner.gid]),
    except: new Set([
      '/proc',
      '/sys',
      '/dev',
      CONTAINER.runtime,
      source,
      agent.home,
      CONTAINER.image,
      CONTAINER.runner,
    ]),
  });
  const capabilities = await dropFileCapabilities(root, new Set([source]));
  log(
    `owners and modes of ${changed} paths put right, file capabilities dropped: ${capabilities ?? 'can not be told here'}`,
  );

  if (variant === 'work') {
    ownTree(tree, { uid: agent.uid, gid: agent.gid, access: 'agent' });
    ownTree(join(root, agent.home), { uid: agent.uid, gid: agent.gid, access: 'agent' });
    const commit = await makeAgentRepository(root, source, agent);
    writeFileSync(join(root, CONTAINER.baseline, AGENT_COMMIT_FILE), `${commit}\n`);
    log(`source belongs to ${agent.name}, one commit ${commit}`);
  } else {
    ownTree(tree, { uid: 0, gid: 0, access: 'graded' });
    symlinkSync(source, join(root, CONTAINER.repo));
    log(`source is the clean copy, ${CONTAINER.repo} leads to it`);
  }

  const prepared: PreparedImage = {
    variant,
    source,
    script_env: { ...scriptEnv },
    baseline,
    changed_paths: changed,
  };
  writeFileSync(join(directory, 'prepared.json'), `${JSON.stringify(prepared, null, 2)}\n`);
  return prepared;
}

/** Our directories, new and empty. Returns the one that holds what preparation leaves. */
async function makeDirectories(root: string, runnerGid: number): Promise<string> {
  await removeTree(join(root, CONTAINER.repo));
  for (const [path, mode, gid] of [
    [CONTAINER.hostMounts, 0o700, 0],
    [CONTAINER.results, 0o755, 0],
    [CONTAINER.hostSocketDir, 0o755, 0],
    [CONTAINER.image, 0o755, 0],
    [CONTAINER.runner, 0o710, runnerGid],
  ] as const) {
    const full = join(root, path);
    if (path !== CONTAINER.results && path !== CONTAINER.hostSocketDir) await removeTree(full);
    mkdirSync(full, { recursive: true });
    chownSync(full, 0, gid);
    chmodSync(full, mode);
    if (!lstatSync(full).isDirectory()) throw new UnusableImageError(`${path} is not a directory of the image`);
  }
  return join(root, CONTAINER.image);
}

async function withGitsWords(make: () => Promise<string>): Promise<string> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof GitError) throw new UnusableImageError(`the source can't be recorded: ${error.message}`);
    throw error;
  }
}

import { lchownSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isNearlyFull } from '../../capture/apply-patch.ts';
import { layOutRepository } from '../../capture/baseline.ts';
import { GitError, type GitPlace, git } from '../../capture/git.ts';
import type { Account } from '../../system/accounts.ts';
import { removeTree } from '../../system/remove-tree.ts';
import { copyTree, type TreeCopyOptions } from '../../system/tree-copy.ts';
import { DaemonError, messageOf } from '../daemon-error.ts';
import { log } from '../log.ts';
import type { RunnerArea } from './runner-area.ts';

/** Most bytes that are copied into a workspace, by size and not by blocks: a sparse file is as big as it says. */
const MAX_TREE_BYTES = 16 * 1024 ** 3;
const GIT_TIMEOUT_MS = 200_000;

/** A copy of a project that belongs to the runner; scripts run in `src`. */
export class Workspace {
  readonly dir: string;
  readonly #area: RunnerArea;

  private constructor(area: RunnerArea, dir: string) {
    this.#area = area;
    this.dir = dir;
  }

  get src(): string {
    return join(this.dir, 'src');
  }

  /**
   * A workspace with a copy of `tree` and a fresh repository of one commit. `readableBy`: only what this user can read
   * is copied.
   * @throws DaemonError when the tree can't be copied
   */
  static async of(
    area: RunnerArea,
    tree: string,
    options: { readableBy?: Account | undefined; signal: AbortSignal },
  ): Promise<Workspace> {
    const { readableBy, signal } = options;
    const workspace = new Workspace(area, area.newPath('work'));
    await workspace.#make(async () => {
      await workspace.#fill(tree, { excludeGit: true, signal, ...(readableBy ? { readableBy } : {}) });
      await workspace.#makeRepository(signal);
    });
    return workspace;
  }

  /** A workspace at the path `dir`, with a copy of the tree `built` as it is, its repository included. */
  static async copyOf(area: RunnerArea, built: string, dir: string, signal: AbortSignal): Promise<Workspace> {
    const workspace = new Workspace(area, dir);
    await workspace.#make(() => workspace.#fill(built, { signal }));
    return workspace;
  }

  async remove(): Promise<void> {
    await this.#area.discard(this.dir);
  }

  /** Nothing of a workspace that could not be filled is left. */
  async #make(fill: () => Promise<void>): Promise<void> {
    this.#area.makeOwn(this.dir);
    try {
      await fill();
    } catch (error) {
      await this.remove();
      throw error;
    }
  }

  async #fill(tree: string, options: Omit<TreeCopyOptions, 'uid' | 'gid'> & { signal: AbortSignal }): Promise<void> {
    const { uid, gid } = this.#area.account;
    try {
      await copyTree(tree, this.src, { uid, gid, maxBytes: MAX_TREE_BYTES, ...options });
    } catch (error) {
      options.signal.throwIfAborted();
      throw new DaemonError('internal', `${tree} can't be copied into a workspace: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** One commit of everything that the tree's `.gitignore` files do not ignore, and no other history. */
  async #makeRepository(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { uid, gid } = this.#area.account;
    const gitDir = join(this.src, '.git');
    layOutRepository(gitDir);
    giveTo(gitDir, uid, gid);
    const place: GitPlace = {
      gitDir,
      workTree: this.src,
      home: this.#area.home,
      uid,
      gid,
      env: { ...IDENTITY, ...ONE_PACK },
    };
    const call = { timeoutMs: GIT_TIMEOUT_MS, signal };
    try {
      await addAll(place, call);
      await git(place, ['commit', '--quiet', '--allow-empty', '--no-verify', '--message=project'], call);
    } catch (error) {
      signal.throwIfAborted();
      throw new DaemonError('internal', `the workspace's repository can't be made: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/**
 * The repository is for scripts that ask git something. A tree that git does not take, or not in time, gets an empty one: what a
 * patch says must not keep it from being judged.
 * @throws GitError when the disk is to blame, git could not be started, or the call was given up
 */
async function addAll(place: GitPlace, call: { timeoutMs: number; signal: AbortSignal }): Promise<void> {
  try {
    await git(place, ['add', '--all', '--', '.'], call);
  } catch (error) {
    const isOfTheTree = error instanceof GitError && !error.result.notStarted && !call.signal.aborted;
    if (!isOfTheTree || isNearlyFull(place.workTree)) throw error;
    log('warn', "git does not take the tree into the workspace's repository", { reason: error.message });
    await removeTree(join(place.gitDir, 'index.lock'));
  }
}

/** Constant, so that the same tree gives the same commit. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'SSEBench',
  GIT_AUTHOR_EMAIL: 'bench@ssebench.invalid',
  GIT_AUTHOR_DATE: '2000-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'SSEBench',
  GIT_COMMITTER_EMAIL: 'bench@ssebench.invalid',
  GIT_COMMITTER_DATE: '2000-01-01T00:00:00Z',
};

/**
 * Settings for `git add`: all content goes uncompressed into one pack, in place of a file for each file, and is not
 * flushed. Several times as fast.
 */
const ONE_PACK = {
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'core.bigFileThreshold',
  GIT_CONFIG_VALUE_0: '1',
  GIT_CONFIG_KEY_1: 'core.compression',
  GIT_CONFIG_VALUE_1: '0',
  GIT_CONFIG_KEY_2: 'core.fsync',
  GIT_CONFIG_VALUE_2: 'none',
};

/** For what root has just made, and nobody else has touched. */
function giveTo(path: string, uid: number, gid: number): void {
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) lchownSync(join(path, name), uid, gid);
  lchownSync(path, uid, gid);
}

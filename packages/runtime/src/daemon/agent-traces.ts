import {
  chmodSync,
  chownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../system/accounts.ts';
import { Directory, Pacer } from '../system/directory.ts';
import { moveEntries } from '../system/move-entries.ts';
import { removeEntry, removeTree } from '../system/remove-tree.ts';
import { DaemonError, messageOf } from './daemon-error.ts';
import { removeIpcObjects } from './runner/ipc.ts';

interface AgentTracesOptions {
  agent: Account;
  /** The tree that the agent edited, and the clean copy. */
  tree: string;
  repo: string;
  /** Where the agent's tree goes, for its archive: made here. */
  keptTree: string;
  /** Where users can leave files for one another. */
  sharedDirs: readonly string[];
  /** What is searched for places of the agent's: `/` but in tests; and what of it is not. */
  searchRoot: string;
  notSearched: readonly string[];
}

/**
 * What an agent left, in a container that is graded in, too: nothing of it may be found by a check. The patch is all that
 * counts, and it is captured by then.
 */
export class AgentTraces {
  readonly #options: AgentTracesOptions;
  #removed = false;
  #moved = false;

  constructor(options: AgentTracesOptions) {
    this.#options = options;
  }

  /** Where the agent's tree is. */
  get tree(): string {
    return this.#moved ? join(this.#options.keptTree, 'tree') : this.#options.tree;
  }

  /**
   * Puts the clean copy where the agent's tree was, so that scripts which name the project's place find what is graded, as in a
   * container that only grades; closes or removes whatever else the agent's user could write.
   * Once, after the agent phase.
   * @throws DaemonError `capture_failed`: the agent's side can bring it about
   */
  async remove(): Promise<void> {
    if (this.#removed) return;
    try {
      if (!this.#moved) await this.#swapTrees();
      await this.#search();
    } catch (error) {
      throw new DaemonError('capture_failed', `what the agent left can't be put away: ${messageOf(error)}`, {
        cause: error,
      });
    }
    await removeIpcObjects(this.#options.agent);
    this.#removed = true;
  }

  async #swapTrees(): Promise<void> {
    const { agent, tree, repo, keptTree } = this.#options;
    await removeTree(keptTree);
    mkdirSync(keptTree, { mode: 0o710 });
    chownSync(keptTree, 0, agent.gid);
    chmodSync(keptTree, 0o710);
    const target = join(keptTree, 'tree');
    mkdirSync(target, { mode: 0o700 });
    using source = Directory.open(tree);
    chmodSync(target, (fstatSync(source.fd).mode & 0o777) | 0o700);
    chownSync(target, agent.uid, agent.gid);
    using kept = Directory.open(target);
    await moveEntries(source, kept);
    this.#moved = true;
    chownSync(tree, 0, 0);
    chmodSync(tree, 0o755);
    {
      using clean = Directory.open(repo);
      await moveEntries(clean, source);
    }
    rmdirSync(repo);
    symlinkSync(tree, repo);
  }

  async #search(): Promise<void> {
    const { tree, repo, keptTree, sharedDirs, searchRoot, notSearched } = this.#options;
    const passed = new Set([tree, repo, keptTree, ...notSearched]);
    for (const dir of sharedDirs) {
      if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) continue;
      using directory = Directory.open(dir);
      await this.#putAway(directory, dir, passed, true);
    }
    using top = Directory.open(searchRoot);
    await this.#putAway(top, searchRoot === '/' ? '' : searchRoot, passed, false);
  }

  /** Below a directory that is not the agent's own; `shared`: but that the agent can write, so that even a name tells something. */
  async #putAway(directory: Directory, path: string, passed: ReadonlySet<string>, shared: boolean): Promise<void> {
    const { uid } = this.#options.agent;
    const pacer = new Pacer();
    for (const entry of readdirSync(directory.at(Buffer.from('.')), { withFileTypes: true, encoding: 'buffer' })) {
      const inside = `${path}/${entry.name.toString('latin1')}`;
      if (passed.has(inside) || !(entry.isDirectory() || shared)) continue;
      if (pacer.due) await pacer.giveWay();
      const at = directory.at(entry.name);
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (!stats) continue;
      if (stats.uid === uid) {
        if (shared) await removeEntry(directory, entry.name);
        else close(at);
      } else if (stats.isDirectory()) {
        using inner = directory.openDirectory(entry.name);
        await this.#putAway(inner, inside, passed, (stats.mode & 0o002) !== 0);
      }
    }
  }
}

function close(directory: Buffer): void {
  lchownSync(directory, 0, 0);
  chmodSync(directory, 0o700);
}

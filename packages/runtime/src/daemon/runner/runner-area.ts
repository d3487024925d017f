import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Account } from '../../system/accounts.ts';
import { endProcessesOf } from '../../system/processes.ts';
import { emptyDirectory, removeTree } from '../../system/remove-tree.ts';
import { DaemonError, messageOf } from '../daemon-error.ts';
import { log } from '../log.ts';
import { removeIpcObjects } from './ipc.ts';

/** Entries of the scratch root that outlive a session; only root can enter them. */
const PRISTINE = 'pristine';
const BUILDS = 'builds';
const TRASH = 'trash';
const KEPT = new Set([PRISTINE, BUILDS, TRASH]);

/** How many discarded trees may be there at a time; their disk space is not free yet. */
const MAX_DISCARDED = 4;

/**
 * The runner's scratch area: one home, workspaces and staged files. A *session* is what lies between two calls of
 * `renew`: afterwards nothing of the runner is left, neither process nor file nor IPC object. Source: spec/runtime §3.5.
 */
export class RunnerArea {
  readonly account: Account;
  readonly root: string;
  readonly #sharedDirs: readonly string[];
  #counter = 0;
  #discarded = 0;
  #removal: Promise<void> = Promise.resolve();
  #home = '';

  constructor(account: Account, root: string, sharedDirs: readonly string[]) {
    this.account = account;
    this.root = root;
    this.#sharedDirs = sharedDirs;
  }

  /** Where the untouched copies of the runner's share of the task are kept. */
  get pristine(): string {
    return join(this.root, PRISTINE);
  }

  /** Where builds are kept out of the runner's reach. */
  get builds(): string {
    return join(this.root, BUILDS);
  }

  /** The session's home; it holds `tmp`. */
  get home(): string {
    return this.#home;
  }

  /** Makes the area and its first session. What an earlier daemon left is removed. */
  async open(): Promise<void> {
    mkdirSync(this.root, { recursive: true, mode: 0o710 });
    chownSync(this.root, 0, this.account.gid);
    chmodSync(this.root, 0o710);
    await emptyDirectory(this.root);
    for (const name of [BUILDS, TRASH]) mkdirSync(join(this.root, name), { mode: 0o700 });
    await this.renew();
  }

  /**
   * Starts a new session; the kept builds stay.
   * @throws DaemonError `runner_unavailable` when anything of the old one can't be removed
   */
  async renew(): Promise<void> {
    await this.endProcesses();
    try {
      for (const name of readdirSync(this.root)) if (!KEPT.has(name)) await this.discard(join(this.root, name));
      for (const dir of this.#sharedDirs) await this.#removeOwnFiles(dir);
      await removeIpcObjects(this.account);
      this.#home = this.#makeHome();
    } catch (error) {
      if (error instanceof DaemonError) throw error;
      throw new DaemonError('runner_unavailable', `the runner's session can't be renewed: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** @throws DaemonError `runner_unavailable` when a process of the runner can't be ended */
  async endProcesses(): Promise<void> {
    const { survivors } = await endProcessesOf([this.account.uid]);
    if (survivors.length > 0) {
      const pids = survivors.slice(0, 10).join(', ');
      throw new DaemonError('runner_unavailable', `processes of ${this.account.name} can't be ended: ${pids}`);
    }
  }

  /** A path in the area that nothing has had yet, such as `work-7`. */
  newPath(kind: 'home' | 'work' | 'poc'): string {
    this.#counter += 1;
    return join(this.root, `${kind}-${this.#counter}`);
  }

  /** Makes a directory of the runner's own. */
  makeOwn(path: string): void {
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, this.account.uid, this.account.gid);
  }

  /**
   * Takes whatever is at `path`, if anything, out of everybody's reach at once; it is removed while other work goes on.
   * Waits only when much is to be removed already.
   */
  async discard(path: string): Promise<void> {
    if (!lstatSync(path, { throwIfNoEntry: false })) return;
    this.#counter += 1;
    const gone = join(this.root, TRASH, String(this.#counter));
    renameSync(path, gone);
    this.#discarded += 1;
    this.#removal = this.#removal.then(() => this.#remove(gone));
    if (this.#discarded > MAX_DISCARDED) await this.#removal;
  }

  async #remove(path: string): Promise<void> {
    try {
      await removeTree(path);
    } catch (error) {
      log('warn', 'What was discarded is left', { path, reason: messageOf(error) });
    } finally {
      this.#discarded -= 1;
    }
  }

  #makeHome(): string {
    const home = this.newPath('home');
    this.makeOwn(home);
    this.makeOwn(join(home, 'tmp'));
    return home;
  }

  async #removeOwnFiles(dir: string): Promise<void> {
    if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
    for (const name of readdirSync(dir)) {
      const path = join(dir, name);
      if (lstatSync(path, { throwIfNoEntry: false })?.uid === this.account.uid) await removeTree(path);
    }
  }
}

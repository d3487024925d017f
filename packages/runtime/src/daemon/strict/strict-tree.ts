import { existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import type { GradingPreparation } from '@ssebench/contracts/daemon-api';
import { isTestFile } from '@ssebench/contracts/test-files';
import { ignoredPaths } from '../../capture/ignored-paths.ts';
import { patchPaths } from '../../capture/patch-paths.ts';
import { type BytePath, toDisplay, toSystemPath } from '../../capture/paths.ts';
import { removeTree } from '../../system/remove-tree.ts';
import { DaemonError, messageOf } from '../daemon-error.ts';
import { log } from '../log.ts';
import { KeptFiles } from './kept-files.ts';

/** How much of the list is told; a patch may touch any number of tests, under names of any length. */
const MAX_TOLD = 1000;
const MAX_TOLD_CHARACTERS = 128 * 1024;

interface StrictTreeOptions {
  /** The copy that the patch is applied to. */
  repo: string;
  referencePatch: string | null;
  hiddenTests: string | null;
  /** Where the project's own files are kept: made here, root's alone. */
  store: string;
}

/** What a patch touches of the tests, as `prepare_grading` tells it. */
type Touched = Omit<GradingPreparation, 'success'>;

/**
 * The graded tree with the project's own tests, build scripts and test configuration: those that the patch changed or
 * deleted are put back, those that it added are set aside. Files that the reference patch touches stay as the patch left
 * them. It takes the place of the graded tree, so that scripts find it at the same path, too.
 */
export class StrictTree {
  readonly #options: StrictTreeOptions;
  #kept: KeptFiles | undefined;
  /** Kept files that the hidden tests change or add. */
  #inHiddenTests: BytePath[] = [];
  #touched: Touched = { touched_tests: [], touched_tests_total: 0, put_back: 0, unknown: null };
  #entered = false;

  constructor(options: StrictTreeOptions) {
    this.#options = options;
  }

  get touched(): Touched {
    return this.#touched;
  }

  /** Whether the graded tree is no more what the patch made of it. */
  get entered(): boolean {
    return this.#entered;
  }

  /**
   * Keeps the tests that a patch touches, before it is applied. Never throws, because the grade does not depend on it:
   * a strict tree that can't be made says why when it is asked for.
   */
  async keep(patchPath: string): Promise<void> {
    try {
      await this.#keep(patchPath);
    } catch (error) {
      this.#kept = undefined;
      this.#touched = { ...this.#touched, unknown: messageOf(error) };
      log('warn', 'The tests that the patch touches are not known', { reason: messageOf(error) });
    }
  }

  /**
   * Turns the graded tree into the strict one. Once; there is no way back.
   * @throws DaemonError `internal` when the tests were not kept; the file system's error, and then a further call tries again
   */
  async enter(): Promise<void> {
    if (!this.#kept) {
      throw new DaemonError('internal', `no strict tree: ${this.#touched.unknown ?? 'grading is not prepared'}`);
    }
    this.#entered = true;
    await this.#kept.putBack(realpathSync(this.#options.repo));
  }

  /**
   * Makes way for hidden tests in `src`, a copy of the graded tree: the files that both they and the patch change or add
   * are the project's own again. False when there is none.
   */
  async makeWayForHiddenTests(src: string, owner: { uid: number; gid: number }): Promise<boolean> {
    if (!this.#kept || this.#inHiddenTests.length === 0) return false;
    await this.#kept.putBack(src, { paths: this.#inHiddenTests, owner });
    return true;
  }

  async #keep(patchPath: string): Promise<void> {
    const { referencePatch, store } = this.#options;
    const repo = realpathSync(this.#options.repo);
    const [all, hidden] = await Promise.all([patchPaths(patchPath), this.#hiddenPaths()]);
    // A path that leads elsewhere keeps the patch from being applied at all.
    const paths = [...all].filter(isInside);
    const added = new Set(paths.filter((path) => !isThere(repo, path)));
    const ignored = await ignoredPaths(repo, [...added]);
    // What the hidden tests add is a test, whatever it is called; what they change may be a source that holds some. And
    // what the project's own rules ignore is what a build makes: brought along, it takes over from that.
    const takesOver = (path: BytePath) => added.has(path) && (hidden.has(path) || ignored.has(path));
    const touched = paths.filter((path) => isTestFile(path) || takesOver(path));
    const told = firstOf(touched.map(toDisplay));
    this.#touched = { touched_tests: told, touched_tests_total: touched.length, put_back: 0, unknown: null };
    const ofReference = touched.length > 0 ? await pathsIfThere(referencePatch) : new Set();
    const own = touched.filter((path) => !ofReference.has(path));
    await removeTree(store);
    mkdirSync(store, { mode: 0o700 });
    this.#kept = await KeptFiles.keep(repo, own, store);
    this.#inHiddenTests = own.filter((path) => hidden.has(path));
    this.#touched = { ...this.#touched, put_back: own.length };
  }

  /** Of hidden tests that are no patch nothing is known here; the intent test will say so. */
  async #hiddenPaths(): Promise<ReadonlySet<BytePath>> {
    try {
      return await pathsIfThere(this.#options.hiddenTests);
    } catch (error) {
      log('warn', 'The hidden tests are no patch', { reason: messageOf(error) });
      return new Set();
    }
  }
}

async function pathsIfThere(patch: string | null): Promise<ReadonlySet<BytePath>> {
  return patch !== null && existsSync(patch) ? await patchPaths(patch) : new Set();
}

function isThere(repo: string, path: BytePath): boolean {
  try {
    lstatSync(toSystemPath(repo, path));
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

function isInside(path: BytePath): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function firstOf(paths: readonly string[]): string[] {
  let characters = 0;
  return paths.slice(0, MAX_TOLD).filter((path) => {
    characters += path.length;
    return characters <= MAX_TOLD_CHARACTERS;
  });
}

import { chmodSync, copyFileSync, cpSync, lchownSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { removeTree } from '../../system/remove-tree.ts';
import type { Task } from '../task.ts';
import { type Fingerprint, fingerprint, isUnchanged, type Reader, shareReadOnly } from './read-only.ts';

/**
 * The runner's share of the task's directory: the build and the test script, in place, and the directories that the
 * scripts name. All of it belongs to root and can be read by the runner's group; nothing of it can be written by the
 * runner, caches aside. Everything else in the directory stays root's alone. Sources: spec/runtime §3.4; design §5.
 */
export class SharedFiles {
  readonly #pristine: string;
  readonly #reader: Reader;
  /** Fingerprints by path, as they were when the path was opened. */
  readonly #shared = new Map<string, Fingerprint>();

  private constructor(pristine: string, reader: Reader) {
    this.#pristine = pristine;
    this.#reader = reader;
  }

  /**
   * Opens the share for the runner, and keeps a copy that only root can reach in `pristine`, which must not exist.
   * @throws the file system's error
   */
  static open(task: Task, reader: Reader, pristine: string): SharedFiles {
    const files = new SharedFiles(pristine, reader);
    mkdirSync(pristine, { mode: 0o700 });
    const scripts = inPlaceScripts(task);
    const supports = supportDirs(task);
    const shared = [...scripts, ...supports];
    const opened = new Set(shared.flatMap((path) => dirsUpTo(task.dir, path)));
    for (const dir of opened) {
      lchownSync(dir, 0, reader.gid);
      chmodSync(dir, 0o710);
      for (const name of readdirSync(dir)) close(join(dir, name), opened);
    }
    for (const path of shared) {
      copy(path, files.#copyOf(path));
      shareReadOnly(path, reader);
      files.#shared.set(path, fingerprint(path));
    }
    return files;
  }

  /** Puts back whatever is no longer as it was opened. Returns these paths. */
  async restore(): Promise<string[]> {
    const changed = [...this.#shared].filter(([path, before]) => !isUnchanged(path, before)).map(([path]) => path);
    for (const path of changed) {
      await removeTree(path);
      copy(this.#copyOf(path), path);
      shareReadOnly(path, this.#reader);
      this.#shared.set(path, fingerprint(path));
    }
    return changed;
  }

  #copyOf(path: string): string {
    return join(this.#pristine, path.replaceAll('/', '%'));
  }
}

function inPlaceScripts(task: Task): string[] {
  return [task.scripts.build, task.scripts.test].filter((path) => path !== null);
}

/**
 * The top-level directories that a script names by absolute path and that hold nothing which is withheld.
 * Source: spec/runtime §3.4.
 */
function supportDirs(task: Task): string[] {
  const scripts = [task.scripts.build, task.scripts.run, task.scripts.test].filter((path) => path !== null);
  const withheld = [...task.hidden, ...scripts];
  const named = scripts.flatMap((path) => namesBeneath(task.dir, textOf(path)));
  return [...new Set(named)]
    .map((name) => join(task.dir, name))
    .filter((dir) => lstatSync(dir, { throwIfNoEntry: false })?.isDirectory())
    .filter((dir) => !withheld.some((path) => path.startsWith(`${dir}/`)));
}

/** The first names of the paths beneath `dir` that a text holds. */
function namesBeneath(dir: string, text: string): string[] {
  const escaped = dir.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\w./-])${escaped}/([\\w.-]+)`, 'g');
  return [...text.matchAll(pattern)].map(([, name = '']) => name).filter((name) => name !== '.' && name !== '..');
}

/** The run script may be withheld from a work container. */
function textOf(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false }) ? readFileSync(path, 'utf8') : '';
}

/** The directories that lead to `path`, from its own up to `top`. */
function dirsUpTo(top: string, path: string): string[] {
  const dirs: string[] = [];
  for (let dir = dirname(path); !relative(top, dir).startsWith('..'); dir = dirname(dir)) {
    dirs.push(dir);
    if (dir === top) break;
  }
  return dirs;
}

/** Takes group's and others' rights away, from links and from the opened directories aside. */
function close(path: string, opened: ReadonlySet<string>): void {
  const stats = lstatSync(path);
  if (!stats.isSymbolicLink() && !opened.has(path)) chmodSync(path, stats.mode & 0o7700);
}

function copy(from: string, to: string): void {
  if (lstatSync(from).isDirectory()) {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  } else {
    copyFileSync(from, to);
    chmodSync(to, lstatSync(from).mode & 0o777);
  }
}

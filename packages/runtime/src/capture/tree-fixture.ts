import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../system/remove-tree.ts';
import { makeBaseline } from './baseline.ts';
import type { CaptureOptions } from './snapshot.ts';

/** For tests: a project's tree with its baseline and a clean copy, and an agent who edits it. Paths are one character per byte. */
export class TreeFixture implements AsyncDisposable {
  readonly root: string;
  readonly tree: string;
  readonly clean: string;
  readonly capture: CaptureOptions;

  private constructor(root: string) {
    this.root = root;
    this.tree = join(root, 'tree');
    this.clean = join(root, 'clean');
    this.capture = {
      baseline: join(root, 'baseline.git'),
      tree: this.tree,
      account: agentAccount(),
      scratchDir: join(root, 'scratch'),
    };
  }

  /** `project` fills the tree as root would at image build. */
  static async make(project: (write: TreeWriter) => void): Promise<TreeFixture> {
    const fixture = new TreeFixture(mkdtempSync(join(tmpdir(), 'ssebench-tree-')));
    chmodSync(fixture.root, 0o755);
    for (const path of [fixture.tree, fixture.clean, fixture.capture.scratchDir]) mkdirSync(path, { mode: 0o755 });
    project(new TreeWriter(fixture.tree));
    project(new TreeWriter(fixture.clean));
    await makeBaseline(fixture.capture.baseline, fixture.tree);
    fixture.giveToAgent();
    return fixture;
  }

  /** Edits the tree as the agent would. */
  edit(change: (write: TreeWriter) => void): void {
    change(new TreeWriter(this.tree));
    this.giveToAgent();
  }

  giveToAgent(): void {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = this.capture.account;
    chownSync(this.tree, uid, gid);
    for (const entry of list(this.tree)) lchownSync(entry.at, uid, gid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeTree(this.root);
  }
}

/** Writes whatever is asked for at a path, in place of whatever stands there or above it. */
export class TreeWriter {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  file(path: string, content: string | Uint8Array, mode = 0o644): void {
    const at = this.#clear(path);
    writeFileSync(at, content);
    chmodSync(at, mode);
  }

  link(path: string, target: string): void {
    symlinkSync(Buffer.from(target, 'latin1'), this.#clear(path));
  }

  remove(path: string): void {
    if (this.#parts(path).every((above) => this.#isDirectory(above)))
      rmSync(this.at(path), { recursive: true, force: true });
  }

  /** Flips the execute bits of a file; nothing for anything else. */
  flip(path: string): void {
    if (!this.#parts(path).every((above) => this.#isDirectory(above))) return;
    const stats = lstatSync(this.at(path), { throwIfNoEntry: false });
    if (stats?.isFile()) chmodSync(this.at(path), (stats.mode & 0o777) ^ 0o111);
  }

  at(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.#root}/`), Buffer.from(path, 'latin1')]);
  }

  #clear(path: string): Buffer {
    for (const above of this.#parts(path)) {
      if (this.#isDirectory(above)) continue;
      rmSync(above, { force: true });
      mkdirSync(above);
    }
    this.remove(path);
    return this.at(path);
  }

  /** The directories above a path, from the top. */
  #parts(path: string): Buffer[] {
    const parts = path.split('/').slice(0, -1);
    return parts.map((_, depth) => this.at(parts.slice(0, depth + 1).join('/')));
  }

  #isDirectory(at: Buffer): boolean {
    try {
      return lstatSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
      throw error;
    }
  }
}

/** What git can tell of a tree, path by path: kind, execute bit and content. `.git` is left out, and what `except` matches. */
export function contentOf(root: string, except = /^$/): Record<string, string> {
  const content: Record<string, string> = {};
  for (const { path, at } of list(root)) {
    if (/(^|\/)\.git(\/|$)/.test(path) || except.test(path)) continue;
    const stats = lstatSync(at);
    if (stats.isSymbolicLink()) content[path] = `link ${readlinkSync(at, 'latin1')}`;
    else if (stats.isFile()) content[path] = `${stats.mode & 0o100 ? 'x' : '-'} ${readFileSync(at).toString('latin1')}`;
    else if (!stats.isDirectory()) content[path] = 'special';
  }
  return content;
}

function list(root: string, below = ''): { path: string; at: Buffer }[] {
  const found: { path: string; at: Buffer }[] = [];
  const directory = Buffer.concat([Buffer.from(root), Buffer.from(below === '' ? '' : `/${below}`, 'latin1')]);
  for (const name of readdirSync(directory, { encoding: 'buffer' })) {
    const path = below === '' ? name.toString('latin1') : `${below}/${name.toString('latin1')}`;
    const at = Buffer.concat([directory, Buffer.from('/'), name]);
    found.push({ path, at });
    if (lstatSync(at).isDirectory()) found.push(...list(root, path));
  }
  return found;
}

/** A spare user when we may switch to one, ourselves otherwise. */
function agentAccount(): { uid: number; gid: number } {
  const uid = process.getuid?.() ?? 0;
  return uid === 0 ? { uid: 64001, gid: 64001 } : { uid, gid: process.getgid?.() ?? 0 };
}

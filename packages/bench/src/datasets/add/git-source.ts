import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { UserError } from '../../cli/errors.ts';

/** What a repository may be: a dataset's texts, not its whole past. */
const LIMITS = { cloneMs: 10 * 60_000, cloneBytes: 1024 ** 3, listBytes: 64 * 1024 ** 2 };
const WATCH_MS = 500;
/** Words of git's that a person is shown. */
const SHOWN = 2000;

/** Nothing of the repository runs, nothing is asked, and only these ways of getting there are taken. */
const SAFE_ENV = { GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'https:http:ssh:file', GIT_LFS_SKIP_SMUDGE: '1' };
const SAFE_OPTIONS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'submodule.recurse=false',
  'gc.auto=0',
  'transfer.fsckObjects=true',
];
/** Files come out as they were put in, whatever the repository wishes. Source: git's gitattributes. */
const PLAIN = '* -export-ignore -export-subst -filter -ident -text -eol -working-tree-encoding\n';

/** An entry of a tree. */
export interface TreeEntry {
  kind: 'file' | 'link' | 'submodule';
  hash: string;
  /** Below the tree. */
  path: string;
}

/** The newest commit of a repository, without its past and without a working tree. */
export interface GitSource {
  commit: string;
  entries(folder: string): Promise<TreeEntry[]>;
  /** The files below a folder as a tar stream; `done` resolves when git has sent everything. */
  tar(folder: string): { stream: Readable; done: Promise<void> };
  /** What a link leads to. */
  linkTarget(entry: TreeEntry): Promise<string>;
}

/**
 * Fetches the newest commit of a branch or tag into an empty folder of ours.
 * @throws UserError with git's words, when it takes too long or is too much, and for addresses of other kinds
 */
export async function fetchSource(url: string, ref: string | undefined, into: string): Promise<GitSource> {
  if (!/^(?:https?|ssh|file):\/\/\S+$/.test(url) && !/^[\w.-]+@[\w.-]+:\S+$/.test(url))
    throw new UserError(`${url}: must be an address that begins with https://, http://, ssh:// or file://`);
  if (ref !== undefined && !/^[\w][\w./+-]*$/.test(ref))
    throw new UserError(`--ref: "${ref}" is no name of a branch or tag`);
  const repository = join(into, 'repository');
  const branch = ref === undefined ? [] : ['--branch', ref];
  const shallow = ['--bare', '--depth=1', '--single-branch', '--no-tags', '--template='];
  await clone(url, [...shallow, ...branch, '--', url, repository], repository);
  await mkdir(join(repository, 'info'), { recursive: true });
  await writeFile(join(repository, 'info/attributes'), PLAIN);
  const commit = (await output(url, repository, ['rev-parse', 'HEAD'])).toString().trim();
  return {
    commit,
    async entries(folder) {
      const list = await output(url, repository, ['ls-tree', '-r', '-z', treeOf(folder)]);
      return list.toString('utf8').split('\0').filter(Boolean).map(entryOf);
    },
    tar(folder) {
      const child = git(['archive', '--format=tar', treeOf(folder)], repository);
      return { stream: child.stdout, done: ended(child, url) };
    },
    linkTarget: async ({ hash }) => (await output(url, repository, ['cat-file', 'blob', hash])).toString('utf8'),
  };
}

function treeOf(folder: string): string {
  return folder === '' ? 'HEAD^{tree}' : `HEAD:${folder}`;
}

function entryOf(line: string): TreeEntry {
  const [head = '', path = ''] = line.split('\t');
  const [mode = '', , hash = ''] = head.split(' ');
  return { kind: mode === '160000' ? 'submodule' : mode === '120000' ? 'link' : 'file', hash, path };
}

type Git = ChildProcessByStdio<null, Readable, Readable>;

function git(args: readonly string[], cwd?: string): Git {
  const options = SAFE_OPTIONS.flatMap((option) => ['-c', option]);
  const env = { ...process.env, ...SAFE_ENV };
  return spawn('git', [...options, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @throws UserError when it fails */
async function ended(child: Git, url: string): Promise<void> {
  const [words, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (status === 0) return;
  // What ssh says through git has a carriage return at its end.
  const said = words.replaceAll('\r', '').trim().slice(-SHOWN) || `git ended with ${status ?? 'a signal'}`;
  throw new UserError(`${url}: ${said}`);
}

async function output(url: string, repository: string, args: readonly string[]): Promise<Buffer> {
  const child = git(args, repository);
  const [bytes] = await Promise.all([buffer(child.stdout), ended(child, url)]);
  if (bytes.length > LIMITS.listBytes) throw new UserError(`${url}: holds too many files`);
  return bytes;
}

async function clone(url: string, args: readonly string[], repository: string): Promise<void> {
  const child = git(['clone', '--quiet', ...args]);
  let stopped: string | undefined;
  const stop = (why: string) => {
    stopped ??= why;
    child.kill('SIGKILL');
  };
  const limit = setTimeout(() => stop(`not fetched within ${LIMITS.cloneMs / 60_000} minutes`), LIMITS.cloneMs);
  const watch = setInterval(async () => {
    if ((await packedBytes(repository)) > LIMITS.cloneBytes)
      stop(`is larger than ${LIMITS.cloneBytes / 1024 ** 2} MiB`);
  }, WATCH_MS);
  child.stdout.resume();
  try {
    await ended(child, url);
  } catch (error) {
    await rm(repository, { recursive: true, force: true });
    throw stopped === undefined ? error : new UserError(`${url}: ${stopped}`, 1, { cause: error });
  } finally {
    clearTimeout(limit);
    clearInterval(watch);
  }
}

async function packedBytes(repository: string): Promise<number> {
  const folder = join(repository, 'objects/pack');
  try {
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    // Not there yet, or just renamed: the next look sees it.
    return 0;
  }
}

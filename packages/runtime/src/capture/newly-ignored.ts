import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type GitCall, type GitPlace, git } from './git.ts';
import { type BytePath, fromNulTerminated, toNulTerminated } from './paths.ts';

/** Most bytes of names of ignored files that are looked at. */
const MAX_NAMES = 8 * 1024 * 1024;

export interface IgnoreFiles {
  /** Of the baseline, and of the tree. */
  tracked: readonly BytePath[];
  present: readonly BytePath[];
}

/**
 * What the tree's `.gitignore` files ignore and the baseline's would not: nobody but the agent, or a program that it ran, says
 * that these are no part of its work. A directory that is ignored as a whole is one path, with a slash at its end.
 * `place`: with an index in which the tracked files are refreshed. `scratch`: a directory of the account's.
 * @throws GitError
 */
export async function newlyIgnored(
  place: GitPlace,
  files: IgnoreFiles,
  scratch: string,
  call: () => GitCall,
): Promise<BytePath[]> {
  if (!(await haveChanged(place, files, call))) return [];
  const names = new FirstBytes(MAX_NAMES);
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  await git(place, list, { ...call(), stdoutTo: names });
  const listed = fromNulTerminated(names.content());
  // Before what is ignored in it, git names a directory in which nothing else is, ignored or not.
  const ignored = listed.filter((path, index) => !(path.endsWith('/') && listed[index + 1]?.startsWith(path)));
  if (ignored.length === 0) return [];
  const before = await ignoredByBaseline(place, files.tracked, ignored, scratch, call);
  return ignored.filter((path) => !before.has(path));
}

async function haveChanged(place: GitPlace, { tracked, present }: IgnoreFiles, call: () => GitCall): Promise<boolean> {
  const known = new Set(tracked);
  if (present.some((path) => !known.has(path))) return true;
  if (tracked.length === 0) return false;
  const changed = await git(place, ['diff-index', '-z', '--name-only', 'HEAD'], call());
  return fromNulTerminated(changed.stdout.toBuffer()).some((path) => known.has(path));
}

/** Those of `paths` that the baseline's rules ignore. They are asked in a tree where nothing but these rules is. */
async function ignoredByBaseline(
  place: GitPlace,
  rules: readonly BytePath[],
  paths: readonly BytePath[],
  scratch: string,
  call: () => GitCall,
): Promise<Set<BytePath>> {
  const workTree = join(scratch, 'rules');
  mkdirSync(workTree, { mode: 0o700 });
  if (place.uid !== undefined && place.gid !== undefined) chownSync(workTree, place.uid, place.gid);
  const apart = { ...place, workTree, env: { ...place.env, GIT_INDEX_FILE: join(scratch, 'rules-index') } };
  await git(apart, ['read-tree', 'HEAD'], call());
  await git(apart, ['checkout-index', '-z', '--stdin'], { ...call(), stdin: toNulTerminated(rules) });
  // This command of git's takes no literal paths, and behind `./` nothing has a meaning of its own.
  const loose = { ...apart, env: { ...apart.env, GIT_LITERAL_PATHSPECS: '0' } };
  const asked = toNulTerminated(paths.map((path) => `./${path}`));
  const answer = await git(loose, ['check-ignore', '--no-index', '-z', '--stdin'], { ...call(), stdin: asked }, [0, 1]);
  return new Set(fromNulTerminated(answer.stdout.toBuffer()).map((path) => path.slice(2)));
}

/** Keeps the first bytes of what it is given, and takes all of it. */
class FirstBytes extends Writable {
  readonly #max: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  content(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const kept = chunk.subarray(0, this.#max - this.#bytes);
    this.#bytes += kept.length;
    if (kept.length > 0) this.#chunks.push(kept);
    done();
  }
}

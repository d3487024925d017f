import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { CAPS } from '@ssebench/contracts/caps';
import { FaultError, fault } from '@ssebench/contracts/faults';
import type { CaptureReport } from '@ssebench/contracts/work-outcome';
import { removeTree } from '../system/remove-tree.ts';
import type { CommandResult } from '../system/run-command.ts';
import { type GitCall, GitError, type GitPlace, git } from './git.ts';
import { makeReadable, removeSpecialRuleFiles } from './make-readable.ts';
import { newlyIgnored } from './newly-ignored.ts';
import { type BytePath, fromNulTerminated, toDisplay, toNulTerminated } from './paths.ts';
import { type Reader, Survey } from './survey.ts';

/** Longest that all steps of one capture may take: after the agent phase, and while the agent works. */
const TIME_LIMIT_MS = 600_000;
const LIVE_TIME_LIMIT_MS = 60_000;

export interface CaptureOptions {
  /** The bare repository that was made at image build. */
  baseline: string;
  tree: string;
  /** Who owns the tree; git runs as this user when we are root. */
  account: Reader;
  /** Where private directories are made: only root can write there, the account can pass through it (0711). */
  scratchDir: string;
  /** Largest file that git is let near, by `lstat`. Default: as every run has it. */
  maxFileBytes?: number;
  /** At the lowest priority, where the tree's machine has `nice`. */
  gentle?: boolean;
  timeoutMs?: number;
  signal?: AbortSignal;
}

type Skip = CaptureReport['skipped'][number];

/** An index in which the tree's tracked and new files stand, ready to be compared with the baseline. */
export interface Snapshot {
  git(args: readonly string[], call?: Partial<GitCall>, accepted?: readonly number[]): Promise<CommandResult>;
  /** What is not in it, and why. */
  skipped: Skip[];
}

/**
 * Makes a snapshot, hands it to `use`, and removes every trace of it. `settled`: the agent phase is over, so the tree
 * is made readable first; otherwise what can't be read is skipped, and nothing in the tree is touched but what stands in
 * place of a rule file of git's and would keep it waiting.
 * @throws FaultError `baseline_missing` | `capture_failed` (with the step and git's words)
 */
export async function withSnapshot<T>(
  options: CaptureOptions,
  settled: boolean,
  use: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  if (!existsSync(join(options.baseline, 'HEAD'))) {
    throw new FaultError(fault('baseline_missing', `${options.baseline} is not there`));
  }
  const scratch = await mkdtemp(join(options.scratchDir, 'capture-'));
  try {
    return await use(await makeSnapshot(options, settled, scratch));
  } catch (error) {
    if (error instanceof GitError) throw new FaultError(fault('capture_failed', error.message), { cause: error });
    throw error;
  } finally {
    chmodSync(scratch, 0o700);
    await removeTree(scratch);
  }
}

async function makeSnapshot(options: CaptureOptions, settled: boolean, scratch: string): Promise<Snapshot> {
  const { tree, account, baseline } = options;
  const own = join(scratch, 'own');
  for (const directory of [own, join(own, 'home')]) {
    mkdirSync(directory, { mode: 0o700 });
    if (isRoot()) chownSync(directory, account.uid, account.gid);
  }
  chmodSync(scratch, 0o711);
  const limitMs = options.timeoutMs ?? (settled ? TIME_LIMIT_MS : LIVE_TIME_LIMIT_MS);
  const deadline = performance.now() + limitMs;
  const place: GitPlace = {
    gitDir: baseline,
    workTree: tree,
    home: join(own, 'home'),
    ...(isRoot() ? { uid: account.uid, gid: account.gid } : {}),
    env: { GIT_INDEX_FILE: join(own, 'index') },
    gentle: options.gentle ?? false,
  };
  const skipped = new Skips();
  const limits = () => {
    const left = deadline - performance.now();
    // Of many short commands none may ever be ended by its own limit.
    if (left <= 0) throw new FaultError(fault('capture_failed', `git: did not end within ${limitMs / 1000} s`));
    return { timeoutMs: Math.max(1, left), signal: options.signal };
  };
  const snapshot: Snapshot = {
    git: (args, call = {}, accepted = [0]) => git(place, args, { ...limits(), ...call }, accepted),
    skipped: skipped.list,
  };

  const readied = settled ? await makeReadable(tree, account) : undefined;
  skipped.add('special_file', readied?.special ?? (await removeSpecialRuleFiles(tree)));
  skipped.add('unreadable', readied?.unreadable ?? []);
  skipped.add('too_large', readied?.tooLarge ?? []);
  if (readied && readied.tooLarge.length > 0) return snapshot;
  const survey = new Survey(tree, account, options.maxFileBytes ?? CAPS.patch_file_bytes);
  await snapshot.git(['read-tree', 'HEAD']);
  const tracked = await takeTracked(snapshot, survey, skipped);
  await takeNew(snapshot, survey, skipped);
  if (readied) {
    const files = { tracked: tracked.filter(isIgnoreFile), present: readied.ignoreFiles };
    skipped.add('newly_ignored', await newlyIgnored(place, files, own, limits));
  }
  return snapshot;
}

/**
 * Brings the index's view of the tracked files up to date, and keeps git away from those that it must not open. Returns the
 * paths of all.
 */
async function takeTracked(snapshot: Snapshot, survey: Survey, skipped: Skips): Promise<BytePath[]> {
  const tracked = fromNulTerminated((await snapshot.git(['ls-files', '-z', '--cached'])).stdout.toBuffer());
  const standing = await survey.sort(tracked);
  const special = standing.get('special_file') ?? [];
  skipped.add('special_file', special);
  // Out of the index they count as deleted, which is what they are; git would fail on them, or take a repository
  // that stands in a file's place for a submodule.
  const remove = [...special, ...(standing.get('gone') ?? [])];
  if (remove.length > 0) {
    await snapshot.git(['update-index', '--force-remove', '-z', '--stdin'], { stdin: toNulTerminated(remove) });
  }
  const leave: BytePath[] = [];
  for (const reason of ['unreadable', 'too_large', 'forbidden_name'] as const) {
    const paths = standing.get(reason) ?? [];
    skipped.add(reason, paths);
    leave.push(...paths);
  }
  if (leave.length > 0) {
    await snapshot.git(['update-index', '--assume-unchanged', '-z', '--stdin'], { stdin: toNulTerminated(leave) });
  }
  // Status 1 says that some files differ.
  await snapshot.git(['update-index', '-q', '--refresh'], {}, [0, 1]);
  return tracked;
}

/** Adds the names of new files to the index, not their content. */
async function takeNew(snapshot: Snapshot, survey: Survey, skipped: Skips): Promise<void> {
  const listed = await snapshot.git(['ls-files', '-z', '--others', '--exclude-standard']);
  skipped.add('unreadable', closedDirectories(listed.stderr.toBuffer()));
  const others = fromNulTerminated(listed.stdout.toBuffer());
  skipped.add(
    'nested_repository',
    others.filter((path) => path.endsWith('/')),
  );
  const standing = await survey.sort(others.filter((path) => !path.endsWith('/')));
  for (const reason of ['special_file', 'unreadable', 'too_large', 'forbidden_name'] as const) {
    skipped.add(reason, standing.get(reason) ?? []);
  }
  const plain = standing.get('plain') ?? [];
  if (plain.length === 0) return;
  // Not `git add --intent-to-add`: it compares each path with each, which takes minutes for 50,000 of them, and it
  // writes an object. An entry without file times counts as changed, so the diff reads mode and content from the tree.
  const entries = plain.map((path) => `100644 ${EMPTY_BLOB}\t${path}`);
  await snapshot.git(['update-index', '-z', '--index-info'], { stdin: toNulTerminated(entries) });
}

/** git lists what it can reach, warns of the rest (a long name is cut), and ends with status 0. */
function closedDirectories(stderr: Buffer): BytePath[] {
  const warnings = stderr.toString('latin1').matchAll(/^warning: could not open directory '(.*?)(?:\/': .*)?$/gm);
  return Array.from(warnings, (match) => match[1] as BytePath);
}

/** What was left out, each path once, at most {@link MAX_LISTED}. */
class Skips {
  readonly list: Skip[] = [];
  readonly #seen = new Set<BytePath>();

  add(reason: Skip['reason'], paths: readonly BytePath[]): void {
    for (const path of paths) {
      if (this.#seen.has(path)) continue;
      this.#seen.add(path);
      if (this.list.length < MAX_LISTED || reason === 'too_large') this.list.push({ path: toDisplay(path), reason });
    }
  }
}

const MAX_LISTED = 1000;
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

function isIgnoreFile(path: BytePath): boolean {
  return path === '.gitignore' || path.endsWith('/.gitignore');
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../system/remove-tree.ts';
import { layOutRepository } from './baseline.ts';
import { startGit } from './git.ts';
import type { CaptureOptions } from './snapshot.ts';

const TIME_LIMIT_MS = 30_000;
const MAX_LOG_BYTES = 1024 * 1024;
const MAX_REF_BYTES = 4 * 1024 * 1024;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** File in the baseline that names the commit which the agent's own repository started with. */
export const AGENT_COMMIT_FILE = 'ssebench-agent-commit';

/**
 * The agent's own commits, newest first, at most {@link MAX_LOG_BYTES}; empty when there are none or they can't be read. For reference
 * only. The repository's settings, which could start programs, are not read: its commits are looked at through a
 * repository of ours that borrows its objects.
 */
export async function commitsLog(options: CaptureOptions): Promise<Buffer> {
  const agentGit = join(options.tree, '.git');
  const head = resolveHead(agentGit);
  if (!head || !existsSync(join(agentGit, 'objects'))) return Buffer.alloc(0);
  const scratch = await mkdtemp(join(options.scratchDir, 'log-'));
  try {
    const gitDir = join(scratch, 'git');
    const home = join(scratch, 'home');
    layOutRepository(gitDir);
    await mkdir(home, { mode: 0o700 });
    const { uid, gid } = options.account;
    const isRoot = process.getuid?.() === 0;
    if (isRoot) for (const path of [scratch, home]) await chown(path, uid, gid);
    const started = readSmall(join(options.baseline, AGENT_COMMIT_FILE))?.trim() ?? '';
    const log = (...range: string[]) =>
      startGit(
        {
          gitDir,
          workTree: options.tree,
          home,
          env: { GIT_OBJECT_DIRECTORY: join(agentGit, 'objects') },
          ...(isRoot ? { uid, gid } : {}),
        },
        ['log', '--no-color', '--no-show-signature', '--format=%H%n%s%n%b%n---', ...range, '--'],
        { timeoutMs: TIME_LIMIT_MS, capBytes: MAX_LOG_BYTES },
      );
    const since = COMMIT.test(started) ? await log(head, `^${started}`) : await log(head);
    const result = since.code === 0 ? since : await log(head);
    return result.code === 0 ? result.stdout.toBuffer() : Buffer.alloc(0);
  } finally {
    await removeTree(scratch);
  }
}

/** The commit that `HEAD` stands for, by way of at most five references. */
function resolveHead(gitDir: string): string | undefined {
  let name = 'HEAD';
  for (let step = 0; step < 5; step += 1) {
    const text = (readSmall(join(gitDir, name)) ?? packed(gitDir, name))?.trim();
    if (!text) return undefined;
    if (COMMIT.test(text)) return text;
    const next = /^ref: (refs\/[\w./-]+)$/.exec(text)?.[1];
    if (!next || next.split('/').includes('..')) return undefined;
    name = next;
  }
  return undefined;
}

function packed(gitDir: string, name: string): string | undefined {
  const line = readSmall(join(gitDir, 'packed-refs'))
    ?.split('\n')
    .find((entry) => entry.slice(41) === name);
  return line?.slice(0, 40);
}

/** A regular file's text, links at its end not followed; undefined for anything else and for what is too large. */
function readSmall(path: string): string | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (
      ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO', 'ENAMETOOLONG'].includes(
        (error as NodeJS.ErrnoException).code ?? '',
      )
    )
      return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(handle);
    return stats.isFile() && stats.size <= MAX_REF_BYTES ? readFileSync(handle, 'latin1') : undefined;
  } finally {
    closeSync(handle);
  }
}

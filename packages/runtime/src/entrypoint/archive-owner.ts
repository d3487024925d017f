import { closeSync, constants, fchmodSync, fchownSync, fstatSync, lchownSync, openSync, readdirSync } from 'node:fs';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Most entries that are given back, and deepest. A tree beyond that stays the agent's; the host may still read it. */
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 128;

/** Who a directory belonged to before it was the agent's. */
export interface ArchiveOwner {
  uid: number;
  gid: number;
}

/** Gives the archive directory itself to the agent, and returns its owner. A link in its place is refused. */
export function giveToAgent(archive: string, agent: ArchiveOwner): ArchiveOwner {
  const fd = openSync(archive, DIRECTORY);
  try {
    const { uid, gid } = fstatSync(fd);
    fchownSync(fd, agent.uid, agent.gid);
    fchmodSync(fd, 0o755);
    return { uid, gid };
  } finally {
    closeSync(fd);
  }
}

/**
 * Gives the archive and all in it back to `owner`. No link is followed, whatever moves meanwhile: every directory is
 * opened from its parent's descriptor. Returns how many entries were left out by the bounds, or went away.
 */
export function giveBack(archive: string, owner: ArchiveOwner): number {
  let budget = MAX_ENTRIES;
  let left = 0;
  const visit = (path: string | Buffer, depth: number): void => {
    const fd = openSync(path, DIRECTORY);
    try {
      fchownSync(fd, owner.uid, owner.gid);
      for (const entry of readdirSync(`/proc/self/fd/${fd}`, { withFileTypes: true, encoding: 'buffer' })) {
        if (budget-- <= 0) {
          left += 1;
          continue;
        }
        const child = Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), entry.name]);
        try {
          if (!entry.isDirectory()) lchownSync(child, owner.uid, owner.gid);
          else if (depth < MAX_DEPTH) visit(child, depth + 1);
          else left += 1;
        } catch (error) {
          if (!isSystemError(error)) throw error;
          left += 1;
        }
      }
    } finally {
      closeSync(fd);
    }
  };
  visit(archive, 0);
  return left;
}

/** Closes the archive directory to all but its owner and root until the returned function is called. A link is refused. */
export function closeArchive(archive: string): () => void {
  const fd = openSync(archive, DIRECTORY);
  fchmodSync(fd, 0o700);
  return () => {
    fchmodSync(fd, 0o755);
    closeSync(fd);
  };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

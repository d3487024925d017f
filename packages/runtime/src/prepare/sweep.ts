import { chmodSync, lchownSync, lstatSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { Directory } from '../system/directory.ts';

export interface SweepOptions {
  root: string;
  /** User and group ids whose files become root's: they will mean the agent and the runner from now on. */
  uids: ReadonlySet<number>;
  gids: ReadonlySet<number>;
  /** Absolute paths inside the image that are left alone. */
  except: ReadonlySet<string>;
}

/** Where everybody may write, if the directory is sticky. Anywhere else it would pass files from one check to the next. */
const SHARED = new Set(['/tmp', '/var/tmp', '/run/lock', '/var/lock']);

/**
 * Goes through the image's root file system, and no other one, and takes from accounts of ours what is not theirs:
 * files that belong to their ids by chance become root's, nothing is set-id, and nothing but the
 * system's temporary directories can be written by everybody. Only what needs it is touched: on a layered file system each change copies a file.
 * Returns how many paths were changed.
 */
export function sweep(options: SweepOptions): number {
  const mounts = mountPoints();
  const device = lstatSync(options.root).dev;
  let changed = 0;
  const enter = (directory: Directory, path: string): void => {
    for (const name of directory.names()) {
      const inside = `${path}/${name.toString('latin1')}`;
      if (options.except.has(inside) || mounts.has(join(options.root, inside))) continue;
      const at = directory.at(name);
      const stats = lstatSync(at, { throwIfNoEntry: false });
      if (!stats) continue;
      if (stats.isDirectory() && stats.dev !== device) continue;
      if (putRight(at, stats, options, SHARED.has(inside))) changed += 1;
      if (!stats.isDirectory()) continue;
      using inner = directory.openDirectory(name);
      enter(inner, inside);
    }
  };
  using top = Directory.open(options.root);
  enter(top, '');
  return changed;
}

function putRight(at: Buffer, stats: Stats, { uids, gids }: SweepOptions, shared: boolean): boolean {
  const uid = uids.has(stats.uid) ? 0 : stats.uid;
  const gid = gids.has(stats.gid) ? 0 : stats.gid;
  const reowned = uid !== stats.uid || gid !== stats.gid;
  if (reowned) lchownSync(at, uid, gid);
  if (stats.isSymbolicLink()) return reowned;
  const mode = stats.mode & 0o7777;
  const sticky = shared && stats.isDirectory() && mode & 0o1000;
  const right = mode & ~0o6000 & (sticky ? 0o7777 : 0o7775);
  if (right === mode) return reowned;
  chmodSync(at, right);
  return true;
}

/** Where something else is mounted: files and directories. */
function mountPoints(): Set<string> {
  const points = new Set<string>();
  for (const line of readFileSync('/proc/self/mountinfo', 'latin1').split('\n')) {
    const point = line.split(' ')[4];
    if (point)
      points.add(point.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));
  }
  points.delete('/');
  return points;
}

import { accessSync, constants, lchownSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../system/run-command.ts';

const GETCAP = ['/usr/sbin/getcap', '/sbin/getcap', '/usr/bin/getcap'];
const TIME_LIMIT_MS = 120_000;
/** Where programs are. */
const PLACES = ['/bin', '/sbin', '/lib', '/usr', '/opt'];

/**
 * Takes the file capabilities from the image's programs, if its `getcap` can tell which have some, and returns how many had;
 * undefined when it can't tell. Our containers forbid new privileges, so there such files gain nothing either way.
 */
export async function dropFileCapabilities(root: string, skip: ReadonlySet<string>): Promise<number | undefined> {
  const getcap = GETCAP.find((path) => isExecutable(join(root, path)));
  if (!getcap) return undefined;
  const places = PLACES.filter(
    (path) => !skip.has(path) && lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory(),
  );
  const result = await runCommand({
    argv: [join(root, getcap), '-r', ...places.map((path) => join(root, path))],
    cwd: '/',
    env: { LC_ALL: 'C' },
    timeoutMs: TIME_LIMIT_MS,
  });
  if (result.notStarted || result.timedOut) return undefined;
  let dropped = 0;
  for (const path of filesWithCapabilities(result.stdout.toBuffer().toString('latin1'))) {
    const file = Buffer.from(path, 'latin1');
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile()) continue;
    // Changing an owner, even to the same one, drops a file's capabilities: chown(2).
    lchownSync(file, stats.uid, stats.gid);
    dropped += 1;
  }
  return dropped;
}

/** Old: `/bin/ping = cap_net_raw+ep`; new: `/bin/ping cap_net_raw=ep`. */
export function filesWithCapabilities(output: string): string[] {
  const found: string[] = [];
  for (const line of output.split('\n')) {
    const path = /^(\/.*?)(?: =)? (?:cap_\S+|=\S+)(?: cap_\S+)*$/.exec(line)?.[1];
    if (path) found.push(path);
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

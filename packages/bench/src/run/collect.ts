import { appendFile, constants, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunDirectory } from './run-directory.ts';

/** What a container may leave in a run's directory. Anything else in its results is not ours and is dropped. */
const NAMES = /^(?:final\.patch|commits\.log|source\.tar\.gz|(?:scriptrunner|patch)-[0-9]+(?:-[0-9]+)?\.log)$/;
/** Logs that both containers write: joined, the work container's first. */
const JOINED = ['daemon.log', 'agent.log', 'mcp.log', 'evaluator.log', 'opencode.log', 'entrypoint.log'];

/** Moves what both containers left to the run's directory, regular files under known names only, and drops the rest. */
export async function collectResults({ live, work, grade }: RunDirectory): Promise<void> {
  for (const part of [work, grade]) {
    for (const name of await readdir(part)) {
      const path = join(part, name);
      if (!(await lstat(path)).isFile()) continue;
      if (JOINED.includes(name)) await appendLog(path, join(live, name));
      else if (NAMES.test(name)) await rename(path, join(live, name));
    }
    await rm(part, { recursive: true, force: true });
  }
}

async function appendLog(from: string, to: string): Promise<void> {
  const handle = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  await appendFile(to, handle.createReadStream());
}

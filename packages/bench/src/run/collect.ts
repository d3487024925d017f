import { constants, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTemporaryFiles, temporaryName } from '../results/atomic-write.ts';
import type { RunDirectory } from './run-directory.ts';

/** What a container may leave in a run's directory. Anything else in its results is not ours and is dropped. */
const NAMES = /^(?:final\.patch|commits\.log|source\.tar\.gz|(?:scriptrunner|patch)-[0-9]+(?:-[0-9]+)?\.log)$/;
/** Logs that both containers write: joined, the work container's first. */
const JOINED = ['daemon.log', 'agent.log', 'mcp.log', 'evaluator.log', 'opencode.log', 'entrypoint.log'];

/**
 * Brings what both containers left to the run's directory, regular files under known names only. A log that there is no
 * room to join stays two files. Safe to call again after a kill in its middle.
 */
export async function collectResults(directory: RunDirectory): Promise<void> {
  const { live, work, grade } = directory;
  for (const part of [work, grade]) {
    for (const name of await filesIn(part)) {
      if (NAMES.test(name)) await rename(join(part, name), join(live, name));
    }
  }
  for (const name of JOINED) await joinLog(directory, name);
}

/** What is left of the containers' own directories goes, and of writes that were cut short. */
export async function dropParts({ live, work, grade }: RunDirectory): Promise<void> {
  for (const part of [work, grade]) await rm(part, { recursive: true, force: true });
  await removeTemporaryFiles(live);
}

async function joinLog({ live, work, grade }: RunDirectory, name: string): Promise<void> {
  const parts = [join(work, name), join(grade, name)];
  const filled: string[] = [];
  for (const path of parts) {
    const stat = await lstat(path).catch(() => undefined);
    if (stat?.isFile()) filled.push(path);
  }
  const [first, second] = filled;
  if (!first) return;
  if (second === undefined) return rename(first, join(live, name));
  const temporary = temporaryName(join(live, name));
  try {
    await concatenate([first, second], temporary);
    await rename(temporary, join(live, name));
  } catch (error) {
    await rm(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    await rename(second, join(live, name.replace(/\.log$/, '.grade.log')));
    await rename(first, join(live, name));
  }
}

async function concatenate(from: readonly string[], to: string): Promise<void> {
  await using target = await open(to, 'wx', 0o644);
  for (const path of from) {
    await using source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    for await (const chunk of source.createReadStream({ autoClose: false })) await target.writeFile(chunk);
  }
}

/** Names of the regular files in a part; none when it is gone. */
async function filesIn(part: string): Promise<string[]> {
  try {
    const entries = await readdir(part, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskUse } from '@ssebench/contracts/caps';

/**
 * What the entries of a directory take of their disk, as far as we may read them. Links are not followed.
 * @param maxFiles who has more than this is not counted to the end
 */
export async function directoryUse(
  directory: string,
  { maxFiles, except }: { maxFiles: number; except?: string },
): Promise<DiskUse> {
  const used: DiskUse = { bytes: 0, files: 0 };
  const left = [directory];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const name of await namesIn(next, maxFiles)) {
      const path = join(next, name);
      const stat = path === except ? undefined : await lstat(path).catch(() => undefined);
      if (!stat) continue;
      used.files += 1;
      used.bytes += stat.blocks * 512;
      if (used.files > maxFiles) return used;
      if (stat.isDirectory()) left.push(path);
    }
  }
  return used;
}

/** None where we may not look. A directory that changes meanwhile, or is on a disk with faults, shows what it shows. */
async function namesIn(directory: string, most: number): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(directory)) {
      names.push(name);
      if (names.length > most) break;
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
  return names;
}

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
    const entries = await opendir(next).catch(() => undefined);
    if (!entries) continue;
    for await (const { name } of entries) {
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

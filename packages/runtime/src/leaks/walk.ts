import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface FoundFile {
  path: string;
  /** Bytes. */
  size: number;
}

/** Every regular file below `root`, links not followed, without what is at or beneath the paths of `without`. */
export function filesBelow(root: string, without: readonly string[]): FoundFile[] {
  const left = new Set(without);
  const files: FoundFile[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (left.has(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push({ path, size: lstatSync(path).size });
    }
  }
  return files;
}

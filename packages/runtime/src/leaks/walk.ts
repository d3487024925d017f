import { lstatSync, readdirSync } from 'node:fs';

/** A path whose bytes are kept, whatever they are. */
export interface FoundFile {
  path: Buffer;
  /** Bytes. */
  size: number;
}

/** Every regular file below `root`, links not followed, without what is at or beneath the paths of `without`. */
export function filesBelow(root: string, without: readonly string[]): FoundFile[] {
  // One character for each byte, so that every name can be compared and told apart.
  const left = new Set(without.map((path) => Buffer.from(path).toString('latin1')));
  const files: FoundFile[] = [];
  const folders = [Buffer.from(root).toString('latin1')];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(Buffer.from(folder, 'latin1'), { withFileTypes: true, encoding: 'buffer' })) {
      const path = `${folder === '/' ? '' : folder}/${entry.name.toString('latin1')}`;
      if (left.has(path)) continue;
      const bytes = Buffer.from(path, 'latin1');
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push({ path: bytes, size: lstatSync(bytes).size });
    }
  }
  return files;
}

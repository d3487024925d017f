import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the bundle of the sources as they are lies, or would. */
export interface BundlePlace {
  /** Absolute; holds the bundles of all states of the sources. */
  cache: string;
  directory: string;
  entry: string;
  isMade: boolean;
}

/** How exactly the last use of a bundle is known. Milliseconds. */
const NOTED_MS = 24 * 60 * 60 * 1000;

/** What the command is made of, beside the packages' sources. */
const BESIDE = ['package-lock.json', 'scripts/command/make-bundle.ts'];

/** Finds it by the names, sizes and times of change of all that it is made of, which reading them all would only tell later. */
export function findBundle(root: URL): BundlePlace {
  const top = fileURLToPath(root);
  const hash = createHash('sha256').update(top).update(process.version);
  const add = (path: string): void => {
    const { size, mtimeMs, ino } = statSync(path);
    hash.update(`\n${path} ${size} ${mtimeMs} ${ino}`);
  };
  for (const path of BESIDE) add(join(top, path));
  for (const name of readdirSync(join(top, 'packages')).sort()) {
    const sources = join(top, 'packages', name, 'src');
    if (existsSync(sources)) eachSource(sources, add);
  }
  const cache = join(top, '.cache/command');
  const directory = join(cache, hash.digest('hex').slice(0, 16));
  const entry = join(directory, 'main.mjs');
  const isMade = existsSync(entry);
  if (isMade) noteUse(directory);
  return { cache, directory, entry, isMade };
}

/** One that is in use stays: see `makeBundle`. */
function noteUse(directory: string): void {
  try {
    const now = Date.now();
    if (now - statSync(directory).mtimeMs > NOTED_MS) utimesSync(directory, now / 1000, now / 1000);
  } catch {
    // Not ours to write, or gone at this moment: then nobody removes it, or it is made again.
  }
}

function eachSource(directory: string, add: (path: string) => void): void {
  const entries = readdirSync(directory, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) eachSource(path, add);
    else if (!entry.name.endsWith('.test.ts')) add(path);
  }
}

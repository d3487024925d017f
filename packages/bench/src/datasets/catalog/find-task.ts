import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unknownName } from '@ssebench/contracts/closest';
import type { ImagesLock, ManifestTask } from '@ssebench/contracts/dataset-manifest';
import { UserError } from '../../cli/errors.ts';
import type { Home } from '../../config/home.ts';
import type { Settings } from '../../config/settings.ts';
import { showPath } from '../../config/show-path.ts';
import { digestOfFiles } from '../../config/task-files.ts';
import { loadTask, type PublishedCase, type RunTask, type Task } from '../../config/tasks.ts';
import { type Catalog, readCatalog, readImagesLock } from './read-catalog.ts';

/** A catalog with the lock that pins its images, where one does. */
export interface LockedCatalog extends Catalog {
  lock: ImagesLock | undefined;
  /** As messages show it; null: there is none. */
  lockShownAs: string | null;
  warnings: string[];
}

/** The catalog that a command is to use: the one named, that of `SSEBENCH_CATALOG`, or home's. Source: spec/host §3.3. */
export function catalogSource(named: string | undefined, { home, settings }: Home & { settings: Settings }): string {
  return named ?? settings.get('SSEBENCH_CATALOG') ?? join(home, 'datasets/starter/manifest.json');
}

/**
 * Reads a catalog with its lock. A lock of another version pins nothing, and that is a warning. Source: spec/host §3.2.
 * @throws UserError as `readCatalog` and `readImagesLock`
 */
export async function openCatalog(source: string, settings: Settings): Promise<LockedCatalog> {
  const catalog = await readCatalog(source);
  const location = settings.get('SSEBENCH_IMAGES_LOCK');
  const lock = await readImagesLock(catalog, location);
  const { manifest, shownAs, dir } = catalog;
  const lockShownAs = lock ? (location ?? showPath(join(dir ?? '', 'images.lock.json'))) : null;
  if (!lock || (lock.dataset === manifest.dataset && lock.version === manifest.version))
    return { ...catalog, lock, lockShownAs, warnings: [] };
  const [theirs, ours] = [lock, manifest].map((it) => `${it.dataset} ${it.version}`);
  const warnings = [`the images lock is of ${theirs}, ${shownAs} of ${ours}: images are named by tag`];
  return { ...catalog, lock: undefined, lockShownAs: null, warnings };
}

/** The digest that pins a task's image; undefined, with a warning where the lock has one for other files, when none does. */
export function pinOf(task: ManifestTask, lock: ImagesLock | undefined): { digest?: string; warning?: string } {
  const pinned = lock?.images[task.id];
  if (!pinned) return {};
  if (!task.files || digestOfFiles(task.files) === pinned.files_sha256) return { digest: pinned.digest };
  return { warning: `${task.id}: its files are not those of the image in the lock: it is named by tag` };
}

/**
 * A task of a catalog as runs need it, with the task folder that belongs to it where one is at hand.
 * @param build the image is to be built from that folder
 * @throws UserError when the catalog has no such task, or no folder matches although one is needed
 */
export function taskOfCatalog(
  catalog: LockedCatalog,
  id: string,
  { home, build }: { home: string; build: boolean },
): { task: RunTask; warnings: string[] } {
  const { manifest, lock, lockShownAs, shownAs } = catalog;
  const entry = manifest.tasks.find((task) => task.id === id);
  if (!entry) {
    const known = manifest.tasks.map((task) => task.id);
    throw new UserError(`${shownAs}: ${unknownName('task', id, known)}; another catalog: --catalog, a folder: --local`);
  }
  const warnings = [...catalog.warnings];
  const folder = folderOf(catalog, entry, home, warnings);
  if (build) {
    if (folder) return { task: folder, warnings };
    const places = candidates(catalog, entry, home)
      .map((path) => showPath(path))
      .join(', ');
    throw new UserError([
      ...warnings,
      `--build: no folder of the task "${id}" matches ${shownAs}; looked for ${places}; name one with --local`,
    ]);
  }
  const { digest, warning } = pinOf(entry, lock);
  if (warning) warnings.push(warning);
  const published: PublishedCase = {
    image: entry.image,
    version: manifest.version,
    digest: digest ?? null,
    base: entry.base,
    arch: entry.arch,
    lock: lockShownAs,
    prebuilt: (digest && lock?.prebuilt?.[id]) || null,
  };
  const files = entry.files ?? {};
  const task: RunTask = {
    id,
    dataset: manifest.dataset,
    datasetVersion: manifest.version,
    dir: folder?.dir ?? null,
    config: entry.metadata,
    files,
    filesDigest: entry.files ? digestOfFiles(files) : (lock?.images[id]?.files_sha256 ?? folder?.filesDigest ?? null),
    tests: folder?.tests ?? null,
    published,
  };
  return { task, warnings };
}

function candidates({ dir, manifest }: LockedCatalog, { id }: ManifestTask, home: string): string[] {
  const datasets = [...(dir === null ? [] : [dir]), join(home, 'datasets', manifest.dataset)];
  return [...new Set(datasets.map((dataset) => join(dataset, id)))];
}

/** A folder whose files are those of the manifest. Source: spec/host §3.3. */
function folderOf(catalog: LockedCatalog, entry: ManifestTask, home: string, warnings: string[]): Task | undefined {
  for (const path of candidates(catalog, entry, home)) {
    if (!existsSync(path)) continue;
    const task = loadTask(join(path, '..'), entry.id);
    if (!entry.files || digestOfFiles(entry.files) === task.filesDigest)
      return { ...task, dataset: catalog.manifest.dataset, datasetVersion: catalog.manifest.version };
    warnings.push(`${showPath(path)}: is not what ${catalog.shownAs} lists, and is not used`);
  }
  return undefined;
}

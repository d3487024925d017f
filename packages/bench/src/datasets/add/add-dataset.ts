import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { DatasetManifest } from '@ssebench/contracts/dataset-manifest';
import { parseJson } from '@ssebench/contracts/json-document';
import { TaskId } from '@ssebench/contracts/task-config';
import { TarRefused, unpackInto } from '@ssebench/engine/tar';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { asUserError } from '../../config/yaml-document.ts';
import { MANIFEST_FILE } from '../manifest/make-manifest.ts';
import { fetchSource, type GitSource, type TreeEntry } from './git-source.ts';

const LIMITS = { maxBytes: 1024 ** 3, maxFiles: 100_000 };

export interface AddRequest {
  url: string;
  /** Folder of the dataset in the repository; undefined: its root. */
  path: string | undefined;
  /** Branch or tag; undefined: the repository's usual one. */
  ref: string | undefined;
  /** Absolute; holds the datasets. */
  datasets: string;
}

/**
 * Puts a dataset of a git repository beside the others: whole or not at all. Nothing of it is executed.
 * @returns its folder, and the commit that it is of
 * @throws UserError when it can't be fetched, is no dataset, holds submodules or links that lead outside, or is there already
 */
export async function addDataset({ url, path, ref, datasets }: AddRequest): Promise<{ dir: string; commit: string }> {
  const folder = checkedFolder(path);
  await mkdir(datasets, { recursive: true });
  const scratch = await mkdtemp(join(datasets, '.add-'));
  try {
    const source = await fetchSource(url, ref, scratch);
    const fresh = join(scratch, 'dataset');
    await mkdir(fresh);
    await copyTree(source, folder, { url, into: fresh });
    const shown = folder === '' ? url : `${url}: ${folder}`;
    if (!existsSync(join(fresh, 'dataset.yaml')))
      throw new UserError(`${shown}: is no dataset, it has no dataset.yaml; name its folder with --path`);
    const dir = join(datasets, nameOf(fresh, shown, folder === '' ? url : folder));
    if (existsSync(dir)) throw new UserError(`${showPath(dir)}: is there already; remove it to take the dataset anew`);
    await rename(fresh, dir);
    return { dir, commit: source.commit };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function copyTree(
  source: GitSource,
  folder: string,
  { url, into }: { url: string; into: string },
): Promise<void> {
  const entries = await source.entries(folder);
  const submodule = entries.find(({ kind }) => kind === 'submodule');
  if (submodule) throw new UserError(`${url}: ${submodule.path} is a submodule, which a dataset can't have`);
  const links = entries.filter(({ kind }) => kind === 'link');
  const { stream, done } = source.tar(folder);
  // Also when unpacking ends first: then git is the one that is cut off.
  done.catch(() => undefined);
  try {
    const { skipped } = await unpackInto(into, stream, LIMITS);
    await done;
    const lost = skipped.find((name) => !links.some(({ path }) => path === name));
    if (lost !== undefined) throw new UserError(`${url}: ${lost}: no file can have this name here`);
  } catch (error) {
    stream.destroy();
    if (error instanceof TarRefused) throw new UserError(`${url}: ${error.message}`, 1, { cause: error });
    throw error;
  }
  // Last, so that nothing is written through one.
  for (const link of links) await makeLink(source, link, { url, into });
}

async function makeLink(
  source: GitSource,
  link: TreeEntry,
  { url, into }: { url: string; into: string },
): Promise<void> {
  const target = await source.linkTarget(link);
  const leadsTo = posix.normalize(posix.join(posix.dirname(link.path), target));
  if (posix.isAbsolute(target) || leadsTo === '..' || leadsTo.startsWith('../') || link.path.split('/').includes('..'))
    throw new UserError(`${url}: ${link.path} is a link that leads outside of the dataset`);
  const path = join(into, link.path);
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}

function checkedFolder(path: string | undefined): string {
  const folder = posix.normalize(path ?? '.').replace(/\/+$/, '');
  if (folder === '.' || folder === '') return '';
  if (posix.isAbsolute(folder) || folder.split('/').includes('..') || folder.startsWith('-'))
    throw new UserError(`--path: "${path}" must be a folder in the repository`);
  return folder;
}

/** As its manifest names it, since its images are named by that; else as its folder or repository is called. */
function nameOf(dir: string, shown: string, otherwise: string): string {
  const manifest = join(dir, MANIFEST_FILE);
  const name = existsSync(manifest)
    ? asUserError(() => parseJson(readFileSync(manifest, 'utf8'), DatasetManifest, `${shown}/${MANIFEST_FILE}`)).dataset
    : basename(otherwise.replace(/\/+$/, '')).replace(/\.git$/, '');
  if (TaskId.safeParse(name).success) return name;
  throw new UserError(
    `${shown}: "${name}" can't be a dataset's name: letters and digits, with ".", "_" or "-" between them`,
  );
}

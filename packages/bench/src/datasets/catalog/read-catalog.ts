import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatasetInfo } from '@ssebench/contracts/dataset-info';
import { DatasetManifest, ImagesLock } from '@ssebench/contracts/dataset-manifest';
import { parseJson } from '@ssebench/contracts/json-document';
import type { z } from 'zod';
import { UserError } from '../../cli/errors.ts';
import { showPath } from '../../config/show-path.ts';
import { asUserError, readYaml } from '../../config/yaml-document.ts';
import { MANIFEST_FILE } from '../manifest/make-manifest.ts';
import { type FetchLimits, fetchText } from './fetch-text.ts';

const MAX_BYTES = 32 * 1024 * 1024;
const LOCK_FILE = 'images.lock.json';

/** A manifest, and where it was found. */
export interface Catalog {
  manifest: DatasetManifest;
  /** As messages show it. */
  shownAs: string;
  /** The folder of a local manifest, absolute; null for a web address. */
  dir: string | null;
}

/**
 * Reads the catalog at a path (a file, or the folder of `manifest.json`) or a web address (one that ends in `.json`, or the
 * folder of `manifest.json`). Source: spec/host §3.3.
 * @throws UserError when it is not there, no manifest, or for another version than the dataset beside it
 */
export async function readCatalog(source: string, limits?: FetchLimits): Promise<Catalog> {
  if (isAddress(source)) {
    const address = addressOf(source);
    const manifest = parsed(await fetchText(address, limits), DatasetManifest, address);
    return { manifest, shownAs: address, dir: null };
  }
  const path = pathOf(source);
  const manifest = parsed(readLocal(path), DatasetManifest, showPath(path));
  refuseOtherVersion(path, manifest.version);
  return { manifest, shownAs: showPath(path), dir: dirname(path) };
}

/**
 * The images lock that goes with a catalog: `location`, a path or an address, else the one beside a local manifest; undefined
 * when there is none. Source: spec/host §3.2. @throws UserError for one that can't be read
 */
export async function readImagesLock({ dir }: Catalog, location: string | undefined): Promise<ImagesLock | undefined> {
  if (location !== undefined && isAddress(location)) {
    return parsed(await fetchText(location), ImagesLock, location);
  }
  const path = location === undefined ? dir && join(dir, LOCK_FILE) : resolve(expanded(location));
  if (path === null || (location === undefined && !existsSync(path))) return undefined;
  return parsed(readLocal(path), ImagesLock, showPath(path));
}

function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/** @throws UserError for what is no address */
function addressOf(source: string): string {
  const url = URL.parse(source);
  if (!url) throw new UserError(`${source}: is no web address`);
  if (!url.pathname.endsWith('.json')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/${MANIFEST_FILE}`;
  return url.href;
}

function pathOf(source: string): string {
  const path = resolve(expanded(source));
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, MANIFEST_FILE) : path;
}

function expanded(path: string): string {
  return path === '~' || path.startsWith('~/') ? homedir() + path.slice(1) : path;
}

function readLocal(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw new UserError(`${showPath(path)}: no such file`);
  if (!stat.isFile()) throw new UserError(`${showPath(path)}: is not a file`);
  if (stat.size > MAX_BYTES) throw new UserError(`${showPath(path)}: is larger than ${MAX_BYTES / 2 ** 20} MiB`);
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`${showPath(path)}: can't be read: ${(cause as Error).message}`, 1, { cause });
  }
}

function parsed<S extends z.ZodType>(text: string, schema: S, shownAs: string): z.output<S> {
  return asUserError(() => parseJson(text, schema, shownAs));
}

/** A manifest beside its dataset must be of it: another version has other tasks. */
function refuseOtherVersion(path: string, version: string): void {
  const info = join(dirname(path), 'dataset.yaml');
  if (!existsSync(info)) return;
  const current = readYaml(info, DatasetInfo).value.version;
  if (current === version) return;
  throw new UserError(
    `${showPath(path)}: is of version ${version}, but ${showPath(info)} says ${current}; run: ssebench dataset manifest ${showPath(dirname(path))}`,
  );
}

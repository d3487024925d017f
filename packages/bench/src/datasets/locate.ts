import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unknownName } from '@ssebench/contracts/closest';
import { UserError } from '../cli/errors.ts';
import type { Home } from '../config/home.ts';
import { showPath } from '../config/show-path.ts';

/** What a person names: a whole dataset, or one task folder. */
export interface Place {
  kind: 'dataset' | 'task';
  /** Absolute. */
  dir: string;
}

/** The datasets of home, sorted by name: the folders below `datasets/` that have a `dataset.yaml`. Absolute paths. */
export function shippedDatasets({ home }: Pick<Home, 'home'>): string[] {
  const root = join(home, 'datasets');
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort()
    .map((name) => join(root, name))
    .filter((dir) => existsSync(join(dir, 'dataset.yaml')));
}

/**
 * What was named: folders, and names of home's datasets; nothing: all of home's datasets.
 * @throws UserError for every name that is neither, and when nothing is named and there is nothing
 */
export function placesNamed(named: readonly string[], home: Pick<Home, 'home'>): Place[] {
  const shipped = shippedDatasets(home);
  if (named.length === 0) {
    if (shipped.length > 0) return shipped.map((dir) => ({ kind: 'dataset', dir }));
    throw new UserError(`${showPath(join(home.home, 'datasets'))}: holds no dataset; name the folder of one`);
  }
  const problems: string[] = [];
  const places = named.flatMap((name): Place[] => {
    const path = resolve(name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [{ kind: kindOf(path), dir: path }];
    const known = shipped.find((dir) => dir === join(home.home, 'datasets', name));
    if (known) return [{ kind: 'dataset', dir: known }];
    const names = shipped.map((dir) => dir.slice(join(home.home, 'datasets/').length));
    if (existsSync(path)) problems.push(`${name}: is not a folder`);
    else if (/[/\\]/.test(name)) problems.push(`${name}: no such folder`);
    else problems.push(`no such folder, and ${unknownName('dataset', name, names)}`);
    return [];
  });
  if (problems.length > 0) throw new UserError(problems);
  return places;
}

/** As `placesNamed`, where only whole datasets make sense. @throws UserError as it, and for task folders */
export function datasetsNamed(named: readonly string[], home: Pick<Home, 'home'>): string[] {
  const places = placesNamed(named, home);
  const tasks = places.filter(({ kind }) => kind === 'task');
  if (tasks.length > 0)
    throw new UserError(tasks.map(({ dir }) => `${showPath(dir)}: is a task; name its dataset's folder`));
  return places.map(({ dir }) => dir);
}

/** A folder with what only tasks have is a task. */
function kindOf(dir: string): Place['kind'] {
  if (existsSync(join(dir, 'dataset.yaml'))) return 'dataset';
  return existsSync(join(dir, 'sse')) || existsSync(join(dir, 'Dockerfile')) ? 'task' : 'dataset';
}

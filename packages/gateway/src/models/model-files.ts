import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelEntry, ModelsFile } from '@ssebench/contracts/model-entry';
import { DocumentError, readYaml } from '@ssebench/contracts/yaml-document';

/** An entry of a model file, and where it stands. */
export interface DefinedModel {
  readonly entry: ModelEntry;
  /** `path:line`, the path as messages show it. */
  readonly place: string;
}

/** How a path is shown in messages. */
export type ShowPath = (path: string) => string;

/**
 * Every model of the `.yaml` and `.yml` files of a folder, in the order of the files' names. Source: spec/host §7.3.
 * @throws DocumentError with all problems of all files; two models of one name are a problem
 */
export function readModels(dir: string, show: ShowPath = (path) => path): DefinedModel[] {
  const defined: DefinedModel[] = [];
  const problems: string[] = [];
  for (const path of modelFiles(dir)) {
    try {
      defined.push(...readModelFile(path, show));
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      problems.push(...error.lines);
    }
  }
  const { models, twice } = withoutRepeats(defined);
  problems.push(...twice);
  if (problems.length > 0) throw new DocumentError(problems.sort(byPlace));
  return models;
}

/** The models of one file. @throws DocumentError */
export function readModelFile(path: string, show: ShowPath): DefinedModel[] {
  const shown = show(path);
  const { value, lineOf } = readYaml(path, ModelsFile, shown);
  return value.map((entry, index) => ({ entry, place: `${shown}:${lineOf([index, 'model_name'])}` }));
}

/** The first model of each name, and a problem for each later one. */
export function withoutRepeats(defined: readonly DefinedModel[]): { models: DefinedModel[]; twice: string[] } {
  const models = new Map<string, DefinedModel>();
  const twice: string[] = [];
  for (const model of defined) {
    const name = model.entry.model_name;
    const earlier = models.get(name);
    if (earlier) twice.push(`${model.place}: model_name: "${name}" is defined at ${earlier.place} already`);
    else models.set(name, model);
  }
  return { models: [...models.values()], twice };
}

/** The paths of the model files of a folder, in the order of their names; none when there is no such folder. */
export function modelFiles(dir: string): string[] {
  return namesIn(dir)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .sort()
    .map((name) => join(dir, name));
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** By path, then by line. */
function byPlace(a: string, b: string): number {
  const [pathA = '', lineA] = a.split(':');
  const [pathB = '', lineB] = b.split(':');
  if (pathA !== pathB) return pathA < pathB ? -1 : 1;
  // A problem of the whole file has no line.
  return (Number(lineA) || 0) - (Number(lineB) || 0);
}

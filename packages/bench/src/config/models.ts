import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelEntry, ModelsFile, requiredKeys } from '@ssebench/contracts/model-entry';
import { UserError } from '../cli/errors.ts';
import { showPath } from './show-path.ts';
import { readYaml } from './yaml-document.ts';

/** A model that `--model` can name. */
export interface Model {
  name: string;
  /** `anthropic` of `anthropic/claude-opus-5-5`. */
  provider: string;
  /** What follows the provider. */
  providerModel: string;
  /** Environment variables that its parameters refer to. */
  requiredKeys: string[];
  entry: ModelEntry;
}

/**
 * Every model of the `.yaml` and `.yml` files of a folder, in the order of the files' names. Source: spec/host §7.3.
 * @throws UserError with all problems of all files; two models of one name are a problem
 */
export function loadModels(dir: string): Model[] {
  const models: Model[] = [];
  const definedAt = new Map<string, string>();
  const problems: string[] = [];
  for (const path of modelFiles(dir)) {
    try {
      const { value, lineOf } = readYaml(path, ModelsFile);
      for (const [index, entry] of value.entries()) {
        const place = `${showPath(path)}:${lineOf([index, 'model_name'])}`;
        const earlier = definedAt.get(entry.model_name);
        if (earlier) problems.push(`${place}: model_name: "${entry.model_name}" is defined at ${earlier} already`);
        else models.push(modelOf(entry));
        definedAt.set(entry.model_name, earlier ?? place);
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.lines);
    }
  }
  if (problems.length > 0) throw new UserError(problems);
  return models;
}

function modelOf(entry: ModelEntry): Model {
  const slash = entry.litellm_params.model.indexOf('/');
  return {
    name: entry.model_name,
    provider: entry.litellm_params.model.slice(0, slash),
    providerModel: entry.litellm_params.model.slice(slash + 1),
    requiredKeys: requiredKeys(entry),
    entry,
  };
}

function modelFiles(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith('.'))
    .sort()
    .map((name) => join(dir, name));
}

import { type ModelEntry, requiredKeys } from '@ssebench/contracts/model-entry';
import { splitModel } from '@ssebench/gateway/models/gateway-model';
import { readModels } from '@ssebench/gateway/models/model-files';
import { showPath } from './show-path.ts';
import { asUserError } from './yaml-document.ts';

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
  /** `path:line` of its file. */
  place: string;
}

/**
 * Every model of the files of a folder, in the order of the files' names. Source: spec/host §7.3.
 * @throws UserError with all problems of all files
 */
export function loadModels(dir: string): Model[] {
  return asUserError(() => readModels(dir, showPath)).map(({ entry, place }) => {
    const { provider, id } = splitModel(entry.litellm_params.model);
    return { name: entry.model_name, provider, providerModel: id, requiredKeys: requiredKeys(entry), entry, place };
  });
}

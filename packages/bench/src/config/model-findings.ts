import { variableOf } from '@ssebench/contracts/model-entry';
import { gatewayModel, isServed, keyVariable, unusedParameters } from '@ssebench/gateway/models/gateway-model';
import type { Model } from './models.ts';

/** Something about a model's file that a person should know. */
export type ModelFinding =
  | { code: 'not_served'; problem: string }
  | { code: 'no_price'; id: string }
  | { code: 'no_key'; variable: string }
  | { code: 'key_in_file' }
  | { code: 'cached_in_full' }
  | { code: 'unused'; parameters: string[] };

/** What a finding means for a run: it can't be, it can't be yet, or it can. */
export type Weight = 'fail' | 'key' | 'note';

const WEIGHTS: Readonly<Record<ModelFinding['code'], Weight>> = {
  not_served: 'fail',
  no_price: 'fail',
  no_key: 'key',
  key_in_file: 'note',
  cached_in_full: 'note',
  unused: 'note',
};

export function weightOf({ code }: ModelFinding): Weight {
  return WEIGHTS[code];
}

/** Everything about one model, as the embedded gateway would serve it. @param variable as settings give it */
export function findingsOn({ entry }: Model, variable: (name: string) => string | undefined): ModelFinding[] {
  const { litellm_params: params, model_info: info = {} } = entry;
  const findings: ModelFinding[] = [];
  const model = gatewayModel(entry, variable);
  if (!isServed(model)) findings.push({ code: 'not_served', problem: model.problem });
  else if (model.prices === undefined) findings.push({ code: 'no_price', id: info.base_model ?? params.model });
  else if (model.prices !== 'free' && info.input_cost_per_token) {
    const { input, cacheRead } = model.prices.base;
    if (cacheRead === input && info.cache_read_input_token_cost === undefined)
      findings.push({ code: 'cached_in_full' });
  }
  const name = keyVariable(entry);
  if (name !== undefined && variable(name) === undefined) findings.push({ code: 'no_key', variable: name });
  if (params.api_key !== undefined && variableOf(params.api_key) === undefined) findings.push({ code: 'key_in_file' });
  const parameters = unusedParameters(entry);
  if (parameters.length > 0) findings.push({ code: 'unused', parameters });
  return findings;
}

export function sentenceOf(finding: ModelFinding): string {
  switch (finding.code) {
    case 'not_served':
      return finding.problem;
    case 'no_price':
      return `no price is known for ${finding.id}: add input_cost_per_token and output_cost_per_token (US dollars per token) to its model_info, or base_model, or "free: true"`;
    case 'no_key':
      return `${finding.variable} is not set: put it into the environment or .env`;
    case 'key_in_file':
      return 'api_key stands in the file: write os.environ/NAME, and put the key into .env';
    case 'cached_in_full':
      return 'cached input counts at the full price: add cache_read_input_token_cost to its model_info';
    case 'unused':
      return `the embedded gateway does not use litellm_params ${finding.parameters.join(', ')}`;
  }
}

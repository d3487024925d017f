import type { ModelEntry } from '@ssebench/contracts/model-entry';
import { keyVariable, splitModel } from '@ssebench/gateway/models/gateway-model';
import { stringify } from 'yaml';

/** The master key is read from this variable of LiteLLM's environment. */
const MASTER_KEY = 'os.environ/LITELLM_MASTER_KEY';
/** Between two bookings of what calls cost. Seconds. */
const BOOKING = 5;
const REQUEST_TIMEOUT = 600;

/** LiteLLM's configuration for these models, as YAML. Source: spec/host §10.3. It holds no key, unless a model's file does. */
export function liteLlmConfig(entries: readonly ModelEntry[]): string {
  const config = {
    model_list: entries.map(asLiteLlmHasIt),
    litellm_settings: {
      request_timeout: REQUEST_TIMEOUT,
      set_verbose: false,
      json_logs: true,
      modify_params: true,
      drop_params: true,
    },
    // One deployment a model: LiteLLM would rest it for some seconds after a failure, and refuse calls meanwhile.
    router_settings: { disable_cooldowns: true },
    general_settings: { master_key: MASTER_KEY, proxy_batch_write_at: BOOKING },
  };
  return `# Made of models/*.yaml by "ssebench proxy"; changes here are lost.\n${stringify(config, { aliasDuplicateObjects: false })}`;
}

/** What the format says of its own is written as LiteLLM says it; the rest is LiteLLM's already. */
function asLiteLlmHasIt(entry: ModelEntry) {
  const { model_name, litellm_params: params, model_info = {} } = entry;
  const { free, protocols: _protocols, ...info } = model_info;
  const prices = free ? { input_cost_per_token: 0, output_cost_per_token: 0 } : {};
  return {
    model_name,
    litellm_params: { ...params, ...keyOf(entry) },
    ...(Object.keys(info).length > 0 || free ? { model_info: { ...info, ...prices } } : {}),
  };
}

/** Where LiteLLM would look for another variable, or refuse to call a server that asks for no key. */
function keyOf(entry: ModelEntry): { api_key?: string } {
  const { api_key, api_base, model } = entry.litellm_params;
  if (api_key !== undefined) return {};
  const variable = keyVariable(entry);
  if (variable !== undefined) return { api_key: `os.environ/${variable}` };
  return api_base !== undefined && splitModel(model).provider === 'openai' ? { api_key: 'none' } : {};
}

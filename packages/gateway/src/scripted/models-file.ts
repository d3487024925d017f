import type { ScriptedUsage } from './scenario.ts';

/** US dollars a token. */
const PRICES = { input: 3e-6, cacheRead: 3e-7, output: 1.5e-5 };

/** By name: a provider of each kind, with what comes before the paths at it. */
const MODELS = {
  'scripted-anthropic': { provider: 'anthropic', path: '', protocols: ['anthropic-messages'] },
  'scripted-openai': { provider: 'openai', path: '/v1', protocols: ['openai-chat', 'openai-responses'] },
  /** A server that speaks Chat Completions and no more. */
  'scripted-compatible': { provider: 'hosted_vllm', path: '/v1', protocols: ['openai-chat'] },
  'scripted-gemini': { provider: 'gemini', path: '', protocols: ['gemini'] },
} as const;

export type ScriptedModelName = keyof typeof MODELS;

/** A file for `models/` in which every one of these models is the scripted one. @param url of the scripted model */
export function scriptedModelsFile(url: string): string {
  return Object.entries(MODELS)
    .map(
      ([name, { provider, path, protocols }]) => `- model_name: ${name}
  litellm_params: { model: ${provider}/scripted-1, api_key: scripted, api_base: "${url}${path}" }
  model_info:
    input_cost_per_token: ${PRICES.input}
    cache_read_input_token_cost: ${PRICES.cacheRead}
    output_cost_per_token: ${PRICES.output}
    max_output_tokens: 32000
    protocols: [${protocols.join(', ')}]
`,
    )
    .join('');
}

/** What tokens of these models cost, in US dollars. */
export function scriptedCost({ input, cacheRead, output }: ScriptedUsage): number {
  return input * PRICES.input + cacheRead * PRICES.cacheRead + output * PRICES.output;
}

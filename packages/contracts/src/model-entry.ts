import { z } from 'zod';

/**
 * A file of `models/`: a list of LiteLLM entries. Source: spec/host §7.3.
 * `litellm_params` may hold any LiteLLM parameter; values like `os.environ/NAME` name an environment variable.
 * Prices in `model_info` are US dollars per token.
 */
export const ModelEntry = z.strictObject({
  model_name: z.string().trim().min(1, 'must not be empty'),
  litellm_params: z.looseObject({
    model: z.string().regex(/^[^/]+\/.+$/, 'must be <provider>/<id>'),
    api_key: z.string().optional(),
    api_base: z.string().optional(),
  }),
  model_info: z
    .looseObject({
      input_cost_per_token: z.number().nonnegative().optional(),
      output_cost_per_token: z.number().nonnegative().optional(),
      cache_read_input_token_cost: z.number().nonnegative().optional(),
    })
    .optional(),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

export const ModelsFile = z.array(ModelEntry).meta({ title: 'SSEBench models' });

/** The names of the environment variables that a model's parameters refer to. */
export function requiredKeys(entry: ModelEntry): string[] {
  return Object.values(entry.litellm_params)
    .filter((value): value is string => typeof value === 'string' && value.startsWith('os.environ/'))
    .map((value) => value.slice('os.environ/'.length));
}

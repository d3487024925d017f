import { z } from 'zod';
import { ModelProtocol } from './model-protocol.ts';

/** More than ten times what any model costs; a price for a million tokens is above it. */
const MAX_PRICE = 0.01;

/** US dollars per token. */
const Price = z
  .number()
  .nonnegative('must not be below 0')
  .max(MAX_PRICE, `must be US dollars per token, at most ${MAX_PRICE}`);

const TokenCount = z.int().positive('must be above 0');

/** `input_cost_per_token_above_200k_tokens` and its like: the price when the whole input is longer than that. */
const TIER_PRICE =
  /^(input_cost|output_cost|cache_read_input_token_cost|cache_creation_input_token_cost).*_above_\d+k_tokens$/;

const ModelInfo = z
  .looseObject({
    input_cost_per_token: Price.optional(),
    output_cost_per_token: Price.optional(),
    output_cost_per_reasoning_token: Price.optional(),
    cache_read_input_token_cost: Price.optional(),
    /** Kept for 5 minutes. */
    cache_creation_input_token_cost: Price.optional(),
    cache_creation_input_token_cost_above_1hr: Price.optional(),
    /** The `<provider>/<id>` whose shipped prices and limits hold, where the model's own name is not in the table. */
    base_model: z.string().optional(),
    max_input_tokens: TokenCount.optional(),
    max_output_tokens: TokenCount.optional(),
    /** Calls cost nothing: a model of one's own. */
    free: z.boolean().optional(),
    /** What its provider speaks, where that does not follow from the provider. */
    protocols: z.array(ModelProtocol).min(1, 'must not be empty').optional(),
  })
  .superRefine((info, context) => {
    for (const [name, value] of Object.entries(info)) {
      const isPrice = TIER_PRICE.test(name);
      if (isPrice && !Price.safeParse(value).success) {
        const message = `must be US dollars per token, from 0 to ${MAX_PRICE}`;
        context.addIssue({ code: 'custom', path: [name], message });
      }
      if (info.free === true && (isPrice || /_cost_per_token$|_token_cost$/.test(name))) {
        context.addIssue({ code: 'custom', path: [name], message: 'a model that is free has no price' });
      }
    }
  });

/**
 * A file of `models/`: a list of LiteLLM entries. Source: spec/host §7.3.
 * `litellm_params` may hold any LiteLLM parameter; values like `os.environ/NAME` name an environment variable.
 * Prices in `model_info` are US dollars per token; they go before the shipped table's, field by field.
 */
export const ModelEntry = z.strictObject({
  model_name: z.string().trim().min(1, 'must not be empty'),
  litellm_params: z.looseObject({
    model: z.string().regex(/^[^/]+\/.+$/, 'must be <provider>/<id>'),
    api_key: z.string().optional(),
    api_base: z.string().optional(),
    /** The output limit of a request that names none. */
    max_tokens: TokenCount.optional(),
  }),
  model_info: ModelInfo.optional(),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

export const ModelsFile = z.array(ModelEntry).meta({ title: 'SSEBench models' });

const ENVIRONMENT = 'os.environ/';

/** The variable that a parameter's value names; undefined: it is a value of its own. */
export function variableOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(ENVIRONMENT) ? value.slice(ENVIRONMENT.length) : undefined;
}

/** The names of the environment variables that a model's parameters refer to. */
export function requiredKeys(entry: ModelEntry): string[] {
  return Object.values(entry.litellm_params).flatMap((value) => variableOf(value) ?? []);
}

import { attoUsd, type ModelPrices, type TokenPrices } from './prices.ts';

/**
 * Prices as LiteLLM names them, in US dollars per token: the fields of `model_info` in a model's file, and of the shipped
 * table. Each may also come with `_above_<N>k_tokens`.
 */
const PRICE_FIELDS = {
  input: 'input_cost_per_token',
  cacheRead: 'cache_read_input_token_cost',
  cacheWrite5m: 'cache_creation_input_token_cost',
  cacheWrite1h: 'cache_creation_input_token_cost_above_1hr',
  output: 'output_cost_per_token',
  reasoning: 'output_cost_per_reasoning_token',
} as const;

type Kind = keyof typeof PRICE_FIELDS;
type OwnPrices = Partial<Record<Kind, bigint>>;

const KINDS = Object.entries(PRICE_FIELDS) as readonly [Kind, string][];
const TIER = /^_above_(\d+)k_tokens$/;

/** Whether a field is a price that we count with; those of other services (batches, priority) are none. */
export function isPriceField(name: string): boolean {
  return KINDS.some(([, field]) => name === field || (name.startsWith(field) && TIER.test(name.slice(field.length))));
}

/**
 * The prices that the fields give. Undefined unless input and output both have one: the price is not known then.
 * - A cache read without a price costs what input does; reasoning, what output does.
 * - A cache write without a price costs what Anthropic asks for it (5/4 of the input's price, twice that price for an
 *   hour), elsewhere what input does.
 * - What a tier leaves out, it has from the prices below it.
 */
export function pricesFrom(fields: Readonly<Record<string, unknown>>, provider: string): ModelPrices | undefined {
  const base = ownPrices(fields, '');
  const prices = complete(base, provider);
  if (!prices) return undefined;
  const maxInputTokens = fields['max_input_tokens'];
  return {
    base: prices,
    tiers: tierLimits(fields).flatMap((thousands) => {
      const tier = complete({ ...base, ...ownPrices(fields, `_above_${thousands}k_tokens`) }, provider);
      return tier ? [{ inputTokens: thousands * 1000, prices: tier }] : [];
    }),
    maxInputTokens: typeof maxInputTokens === 'number' ? maxInputTokens : undefined,
  };
}

function ownPrices(fields: Readonly<Record<string, unknown>>, suffix: string): OwnPrices {
  return Object.fromEntries(
    KINDS.flatMap(([kind, field]) => {
      const usd = fields[field + suffix];
      return typeof usd === 'number' ? [[kind, attoUsd(usd)]] : [];
    }),
  );
}

function complete(own: OwnPrices, provider: string): TokenPrices | undefined {
  const { input, output } = own;
  if (input === undefined || output === undefined) return undefined;
  const anthropic = provider === 'anthropic';
  const cacheWrite5m = own.cacheWrite5m ?? (anthropic ? (input * 5n + 3n) / 4n : input);
  return {
    input,
    cacheRead: own.cacheRead ?? input,
    cacheWrite5m,
    cacheWrite1h: own.cacheWrite1h ?? (anthropic ? input * 2n : cacheWrite5m),
    output,
    reasoning: own.reasoning ?? output,
  };
}

function tierLimits(fields: Readonly<Record<string, unknown>>): number[] {
  const limits = Object.keys(fields).flatMap((name) =>
    KINDS.flatMap(([, field]) => {
      const match = name.startsWith(field) ? TIER.exec(name.slice(field.length)) : null;
      return match ? [Number(match[1])] : [];
    }),
  );
  return [...new Set(limits)].sort((a, b) => a - b);
}

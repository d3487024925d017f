import type { GatewayModel, NanoUsd, Pricing, RequestSize, Usage } from '../server/ports.ts';
import type { AttoUsd, ModelPrices, TokenPrices } from './prices.ts';

const ATTO_PER_NANO = 10n ** 9n;

/** What providers add to a request's text (the words around tools and messages), in tokens. Anthropic tells up to 804. */
const HIDDEN_TOKENS = 2_000;
/** The most tokens that one picture becomes at any of the providers. */
const IMAGE_TOKENS = 10_000;
/** The longest input that any model reads, for one whose own limit is not known. */
const LONGEST_INPUT = 2_000_000;
const MAX_OUTPUT = 2 ** 31 - 1;

/** `Pricing` from the prices that each model carries. Integers throughout; rounded up to a nano-dollar once a call. */
export const modelPricing: Pricing = {
  upperBound({ prices }, request, outputTokens) {
    if (prices === undefined) return undefined;
    if (prices === 'free') return 0n;
    const { input, perOutputToken } = worst(prices, request);
    return nano(input + perOutputToken * BigInt(outputTokens));
  },

  affordableOutput({ prices }, request, amount) {
    if (prices === undefined) return 0;
    if (prices === 'free') return MAX_OUTPUT;
    const { input, perOutputToken } = worst(prices, request);
    const left = amount * ATTO_PER_NANO - input;
    if (left < 0n) return 0;
    if (perOutputToken === 0n) return MAX_OUTPUT;
    const tokens = left / perOutputToken;
    return tokens > BigInt(MAX_OUTPUT) ? MAX_OUTPUT : Number(tokens);
  },

  costOf(model, usage) {
    return nano(attoCost(model, usage));
  },
};

function attoCost({ name, prices }: GatewayModel, usage: Usage): AttoUsd {
  if (prices === undefined) throw new Error(`model ${name} has no price`);
  if (prices === 'free') return 0n;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usage;
  const whole = input + cacheRead + cacheWrite5m + cacheWrite1h;
  const { base, tiers } = prices;
  const each = tiers.findLast(({ inputTokens }) => whole > inputTokens)?.prices ?? base;
  return (
    each.input * BigInt(input) +
    each.cacheRead * BigInt(cacheRead) +
    each.cacheWrite5m * BigInt(cacheWrite5m) +
    each.cacheWrite1h * BigInt(cacheWrite1h) +
    each.output * BigInt(output - reasoning) +
    each.reasoning * BigInt(reasoning)
  );
}

/** The dearest that a token can be, of an input that is longer than `inputTokens`. */
interface Worst {
  readonly inputTokens: number;
  readonly perInputToken: AttoUsd;
  readonly perOutputToken: AttoUsd;
}

type CacheWrites = NonNullable<RequestSize['cacheWrites']>;

/** By what a request may have kept in a cache; each from the lowest limit up. */
const known = new WeakMap<ModelPrices, Map<CacheWrites, readonly Worst[]>>();

function worstOf(prices: ModelPrices, cacheWrites: CacheWrites): readonly Worst[] {
  const found = known.get(prices)?.get(cacheWrites);
  if (found !== undefined) return found;
  const all = findWorst(prices, cacheWrites);
  known.set(prices, (known.get(prices) ?? new Map<CacheWrites, readonly Worst[]>()).set(cacheWrites, all));
  return all;
}

/** An input that may reach a tier may stay below it, too: what is dearest so far is dearest from there on. */
function findWorst({ base, tiers }: ModelPrices, cacheWrites: CacheWrites): readonly Worst[] {
  const all: Worst[] = [];
  for (const { inputTokens, prices } of [{ inputTokens: -1, prices: base }, ...tiers]) {
    const before = all.at(-1);
    all.push({
      inputTokens,
      perInputToken: largest([dearestInput(prices, cacheWrites), before?.perInputToken ?? 0n]),
      perOutputToken: largest([prices.output, prices.reasoning, before?.perOutputToken ?? 0n]),
    });
  }
  return all;
}

/** The dearest that the request's input can be, and an output token of its answer. */
function worst(prices: ModelPrices, request: RequestSize): { input: AttoUsd; perOutputToken: AttoUsd } {
  const tokens = inputBound(request, prices.maxInputTokens ?? LONGEST_INPUT);
  const each = worstOf(prices, request.cacheWrites ?? '1h').findLast(({ inputTokens }) => tokens > inputTokens);
  const { perInputToken, perOutputToken } = each ?? { perInputToken: 0n, perOutputToken: 0n };
  return { input: perInputToken * BigInt(tokens), perOutputToken };
}

function inputBound({ bytes, images = 0, documents = 0 }: RequestSize, longest: number): number {
  if (documents > 0) return longest;
  return Math.min(bytes + HIDDEN_TOKENS + images * IMAGE_TOKENS, longest);
}

function dearestInput(prices: TokenPrices, cacheWrites: CacheWrites): AttoUsd {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = prices;
  const kinds = [input, cacheRead];
  if (cacheWrites !== 'none') kinds.push(cacheWrite5m);
  if (cacheWrites === '1h') kinds.push(cacheWrite1h);
  return largest(kinds);
}

function largest(values: readonly bigint[]): bigint {
  let most = 0n;
  for (const value of values) if (value > most) most = value;
  return most;
}

function nano(atto: AttoUsd): NanoUsd {
  return (atto + ATTO_PER_NANO - 1n) / ATTO_PER_NANO;
}

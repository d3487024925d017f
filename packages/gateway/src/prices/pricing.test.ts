import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GatewayModel, RequestSize, Usage } from '../server/ports.ts';
import { pricesFrom } from './price-fields.ts';
import { PRICE_SOURCE, shippedFields } from './price-table.ts';
import { attoUsd, usdPerMillion } from './prices.ts';
import { modelPricing } from './pricing.ts';

type Fields = Readonly<Record<string, number>>;

function model(prices: GatewayModel['prices']): GatewayModel {
  return {
    name: 'model-one',
    provider: 'anthropic',
    protocols: ['anthropic-messages'],
    upstreamModel: 'one',
    baseUrl: 'https://example.org',
    apiKey: () => 'key',
    defaultOutputTokens: 100,
    maxOutputTokens: undefined,
    prices,
  };
}

const priced = (fields: Fields, provider = 'openai') => model(pricesFrom(fields, provider));
const shipped = (id: string) => priced(shippedFields(id) ?? {}, id.split('/')[0]);

function usage(tokens: Partial<Usage>): Usage {
  return { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0, ...tokens };
}

test.each([
  [5e-7, 500_000_000_000n],
  [1.25e-6, 1_250_000_000_000n],
  [0.1, 100_000_000_000_000_000n],
  [0, 0n],
  [1e-18, 1n],
  [1.5e-18, 2n],
])('%d US dollars are exactly what the decimal number says', (usd, atto) => {
  expect(attoUsd(usd)).toBe(atto);
});

test.each([
  [5e-7, '0.5'],
  [1.25e-6, '1.25'],
  [0.00015, '150'],
  [1e-18, '0.000000000001'],
  [0, '0'],
])('%d US dollars a token are $%s a million', (usd, shown) => {
  expect(usdPerMillion(attoUsd(usd))).toBe(shown);
});

test('every kind of token has its own price', () => {
  const one = shipped('anthropic/claude-opus-5-5');
  const million = 1_000_000;
  const dollars = (tokens: Partial<Usage>) => Number(modelPricing.costOf(one, usage(tokens))) / 1e9;
  expect([
    dollars({ input: million }),
    dollars({ cacheRead: million }),
    dollars({ cacheWrite5m: million }),
    dollars({ cacheWrite1h: million }),
    dollars({ output: million, reasoning: 400_000 }),
  ]).toEqual([4, 0.2, 5, 8, 20]);
});

test('above its limit a tier holds for the whole call, cached input included', () => {
  const one = shipped('gemini/gemini-3.1-pro-preview');
  const cost = (tokens: Partial<Usage>) => modelPricing.costOf(one, usage(tokens));
  expect(cost({ input: 100_000, cacheRead: 100_000, output: 10 })).toBe(200_000_000n + 20_000_000n + 120_000n);
  expect(cost({ input: 100_001, cacheRead: 100_000, output: 10 })).toBe(400_004_000n + 40_000_000n + 180_000n);
});

test('a price finer than a nano-dollar counts exactly, and rounds up once a call', () => {
  const one = priced({ input_cost_per_token: 2.5e-10, output_cost_per_token: 1e-9 });
  expect(modelPricing.costOf(one, usage({ input: 4 }))).toBe(1n);
  expect(modelPricing.costOf(one, usage({ input: 5, output: 1 }))).toBe(3n);
});

test('what has no price of its own: Anthropic writes caches for 5/4 and 2 times the input, elsewhere cached is input', () => {
  const fields = { input_cost_per_token: 4e-6, output_cost_per_token: 2e-5 };
  expect(pricesFrom(fields, 'anthropic')?.base).toMatchObject({
    cacheRead: attoUsd(4e-6),
    cacheWrite5m: attoUsd(5e-6),
    cacheWrite1h: attoUsd(8e-6),
    reasoning: attoUsd(2e-5),
  });
  expect(pricesFrom(fields, 'openai')?.base).toMatchObject({
    cacheWrite5m: attoUsd(4e-6),
    cacheWrite1h: attoUsd(4e-6),
  });
});

test('a model with half a price has none, and no call of it can be counted', () => {
  for (const one of [
    model(undefined),
    priced({ output_cost_per_token: 1e-6 }),
    priced({ input_cost_per_token: 1e-6 }),
  ]) {
    expect(modelPricing.upperBound(one, { bytes: 10 }, 10)).toBeUndefined();
    expect(modelPricing.affordableOutput(one, { bytes: 10 }, 10n ** 12n)).toBe(0);
    expect(() => modelPricing.costOf(one, usage({ input: 1 }))).toThrow('model model-one has no price');
  }
});

test('a free model costs nothing and has no limit', () => {
  const one = model('free');
  expect(modelPricing.upperBound(one, { bytes: 1e9, documents: 3 }, 1e6)).toBe(0n);
  expect(modelPricing.costOf(one, usage({ input: 1e9, output: 1e9 }))).toBe(0n);
  expect(modelPricing.affordableOutput(one, { bytes: 10 }, 0n)).toBe(2 ** 31 - 1);
});

test('pictures and documents are bounded apart from their bytes, and all by the longest input of the model', () => {
  const one = priced({ input_cost_per_token: 1e-6, output_cost_per_token: 1e-6, max_input_tokens: 50_000 });
  const bound = (request: RequestSize) => Number(modelPricing.upperBound(one, request, 0)) / 1_000;
  expect([
    bound({ bytes: 1_000 }),
    bound({ bytes: 1_000, images: 2 }),
    bound({ bytes: 1_000, documents: 1 }),
    bound({ bytes: 1e9 }),
  ]).toEqual([3_000, 23_000, 50_000, 50_000]);
});

test('the shipped table says where it is from and prices what we ship', () => {
  expect(PRICE_SOURCE).toEqual({
    source: expect.stringMatching(/^LiteLLM \d+\.\d+\.\d+ of /),
    retrieved: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
  expect(shippedFields('openai/no-such-model')).toBeUndefined();
});

const price = fc.integer({ min: 0, max: 1_000_000 }).map((value) => value / 1e11);
const fields = fc.record(
  {
    input_cost_per_token: price,
    output_cost_per_token: price,
    cache_read_input_token_cost: price,
    cache_creation_input_token_cost: price,
    cache_creation_input_token_cost_above_1hr: price,
    output_cost_per_reasoning_token: price,
    input_cost_per_token_above_4k_tokens: price,
    output_cost_per_token_above_4k_tokens: price,
    cache_read_input_token_cost_above_8k_tokens: price,
  },
  { requiredKeys: ['input_cost_per_token', 'output_cost_per_token'] },
);
const shares = fc.array(fc.nat(1_000), { minLength: 6, maxLength: 6 });

test('no call within its bytes and its output limit costs more than the upper bound, nor more than the money left', () => {
  fc.assert(
    fc.property(
      fields,
      fc.nat(12_000),
      fc.nat(5_000),
      shares,
      fc.bigInt(0n, 10n ** 9n),
      (prices, bytes, limit, parts, left) => {
        const one = priced(prices, parts[0] === 0 ? 'anthropic' : 'openai');
        const bound = modelPricing.upperBound(one, { bytes }, limit);
        const affordable = modelPricing.affordableOutput(one, { bytes }, left);
        const spentAt = (output: number) => modelPricing.costOf(one, usageWithin(bytes, output, parts));
        expect(bound !== undefined && spentAt(limit) <= bound).toBe(true);
        const lowered = Math.min(limit, affordable);
        if (lowered < 1) return;
        expect(spentAt(lowered) <= left).toBe(true);
        const next = modelPricing.upperBound(one, { bytes }, affordable + 1);
        if (affordable < 2 ** 31 - 1) expect(next !== undefined && next > left).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('the upper bound is that of the dearest prices that the input may reach, and no dearer', () => {
  fc.assert(
    fc.property(
      fields,
      fc.nat(12_000),
      fc.nat(5_000),
      fc.constantFrom('none', '5m', '1h', undefined),
      (prices, bytes, limit, cacheWrites) => {
        const one = pricesFrom(prices, 'openai');
        if (one === undefined) throw new Error('no price');
        const tokens = bytes + 2_000;
        const reached = [one.base, ...one.tiers.filter((tier) => tokens > tier.inputTokens).map((tier) => tier.prices)];
        const most = (values: readonly bigint[]) => values.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n;
        const input = most(
          reached.flatMap((it) => [
            it.input,
            it.cacheRead,
            cacheWrites === 'none' ? 0n : it.cacheWrite5m,
            cacheWrites === 'none' || cacheWrites === '5m' ? 0n : it.cacheWrite1h,
          ]),
        );
        const output = most(reached.flatMap((it) => [it.output, it.reasoning]));
        const atto = input * BigInt(tokens) + output * BigInt(limit);
        const request: RequestSize = cacheWrites === undefined ? { bytes } : { bytes, cacheWrites };
        expect(modelPricing.upperBound(model(one), request, limit)).toBe((atto + 10n ** 9n - 1n) / 10n ** 9n);
      },
    ),
    { numRuns: 1_000 },
  );
});

/** Tokens that a request of so many bytes may have, split among the kinds by `parts`. */
function usageWithin(bytes: number, output: number, parts: readonly number[]): Usage {
  const [all = 0, a = 0, b = 0, c = 0, out = 0, thought = 0] = parts;
  let left = Math.floor((bytes * all) / 1_000);
  const take = (share: number) => {
    const taken = Math.floor((left * share) / 1_000);
    left -= taken;
    return taken;
  };
  const [cacheRead, cacheWrite5m, cacheWrite1h] = [take(a), take(b), take(c)];
  const answered = Math.floor((output * out) / 1_000);
  const reasoning = Math.floor((answered * thought) / 1_000);
  return { input: left, cacheRead, cacheWrite5m, cacheWrite1h, output: answered, reasoning };
}

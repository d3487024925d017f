/** 10^-18 US dollars: a price per token that a person writes is a whole number of these. */
export type AttoUsd = bigint;

/** What one token of each kind costs. */
export interface TokenPrices {
  readonly input: AttoUsd;
  readonly cacheRead: AttoUsd;
  readonly cacheWrite5m: AttoUsd;
  readonly cacheWrite1h: AttoUsd;
  readonly output: AttoUsd;
  readonly reasoning: AttoUsd;
}

/** Prices of a call whose whole input, cached or not, is longer than `inputTokens`. They hold for all of its tokens. */
export interface PriceTier {
  readonly inputTokens: number;
  readonly prices: TokenPrices;
}

export interface ModelPrices {
  readonly base: TokenPrices;
  /** From the lowest limit up. */
  readonly tiers: readonly PriceTier[];
  /** The longest input that the model reads; undefined: not known. */
  readonly maxInputTokens: number | undefined;
}

const DIGITS = 18;

/** The price that the decimal number `usd` says, not its nearest binary fraction; what is finer than the unit counts up. */
export function attoUsd(usd: number): AttoUsd {
  const [mantissa = '0', exponent = '0'] = usd.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const power = DIGITS + Number(exponent) - fraction.length;
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (digits + divisor - 1n) / divisor;
}

/** A price per token as the decimal number of US dollars for a million tokens. */
export function usdPerMillion(price: AttoUsd): string {
  const digits = String(price).padStart(DIGITS - 6 + 1, '0');
  const point = digits.length - (DIGITS - 6);
  return `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, '');
}

/** 10^-18 US dollars: every price per token that people write is a whole number of these. */
type AttoUsd = bigint;

/** What a token of each kind costs. Kinds that a provider has no price of its own for have the nearest dearer one. */
export interface TokenPrices {
  readonly input: AttoUsd;
  readonly cacheRead: AttoUsd;
  readonly cacheWrite5m: AttoUsd;
  readonly cacheWrite1h: AttoUsd;
  readonly output: AttoUsd;
  readonly reasoning: AttoUsd;
}

/** Prices of a call whose whole input is longer than `inputTokens`. They hold for all of its tokens. */
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

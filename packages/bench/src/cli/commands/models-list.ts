import { gatewayModel, isServed, keyVariable } from '@ssebench/gateway/models/gateway-model';
import { PRICE_SOURCE } from '@ssebench/gateway/prices/price-table';
import { type TokenPrices, usdPerMillion } from '@ssebench/gateway/prices/prices';
import { loadModels, type Model } from '../../config/models.ts';
import type { Settings } from '../../config/settings.ts';
import { modelsDirectory, openHost } from '../host.ts';
import { columns, print, printJson } from '../output.ts';

export interface ModelsListOptions {
  json?: boolean;
}

/** `ssebench models list`. @throws UserError for malformed files, with their lines */
export function modelsList(options: ModelsListOptions): number {
  const host = openHost();
  const entries = loadModels(modelsDirectory(host)).map((model) => entryOf(model, host.settings));
  if (options.json) {
    printJson(entries);
    return 0;
  }
  const rows = entries.map(({ name, model, usd_per_million: usd, key }) => {
    const prices =
      usd === 'free'
        ? ['free', '', '']
        : usd
          ? [usd.input, usd.cache_read, usd.output].map(String)
          : ['unknown', '', ''];
    return [name, model, ...prices, key ? `${key.variable}${key.set ? '' : ' (not set)'}` : ''];
  });
  if (rows.length > 0) print(columns(['MODEL', 'SERVED AS', 'INPUT', 'CACHED', 'OUTPUT', 'KEY'], rows));
  const { source, retrieved } = PRICE_SOURCE;
  process.stderr.write(
    `US dollars for a million tokens. Prices that no file gives: ${source}; looked up ${retrieved}\n`,
  );
  return 0;
}

function entryOf({ name, entry, place }: Model, { get }: Settings) {
  const model = gatewayModel(entry, get);
  const served = isServed(model) ? model : undefined;
  const variable = keyVariable(entry);
  const prices = served?.prices;
  return {
    name,
    model: entry.litellm_params.model,
    place,
    base_url: served?.baseUrl ?? null,
    protocols: served?.protocols ?? [],
    max_output_tokens: served?.maxOutputTokens ?? null,
    usd_per_million: prices === 'free' ? prices : prices ? shown(prices.base) : null,
    tiers:
      typeof prices === 'object'
        ? prices.tiers.map((it) => ({ above_tokens: it.inputTokens, ...shown(it.prices) }))
        : [],
    key: variable === undefined ? null : { variable, set: get(variable) !== undefined },
  };
}

function shown(prices: TokenPrices) {
  return {
    input: Number(usdPerMillion(prices.input)),
    cache_read: Number(usdPerMillion(prices.cacheRead)),
    cache_write_5m: Number(usdPerMillion(prices.cacheWrite5m)),
    cache_write_1h: Number(usdPerMillion(prices.cacheWrite1h)),
    output: Number(usdPerMillion(prices.output)),
    reasoning: Number(usdPerMillion(prices.reasoning)),
  };
}

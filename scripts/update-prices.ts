import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isPriceField } from '@ssebench/gateway/prices/price-fields';

/**
 * Writes the shipped price table from LiteLLM's (MIT licence), `model_prices_and_context_window_backup.json` in its wheel:
 *   node scripts/update-prices.ts --file JSON --source "LiteLLM 1.108.0, …" --retrieved 2026-11-30
 * Taken are the text models of three providers, with those of their prices and limits that the gateway counts with.
 */
const TABLE = 'packages/gateway/src/prices/prices.json';
const PROVIDERS = ['anthropic', 'openai', 'gemini'];
const LIMITS = ['max_input_tokens', 'max_output_tokens'];
/** Models with prices by the picture, the second or the search, and those that are made for one customer. */
const OTHER =
  /audio|image|tts|live|lyria|omni|realtime|research|robotics|search|computer-use|daybreak|^ft:|-exp-|gemma|learnlm/;

const { values } = parseArgs({
  options: { file: { type: 'string' }, source: { type: 'string' }, retrieved: { type: 'string' } },
});
const { file, source, retrieved } = values;
if (!file || !source || !retrieved) throw new Error('--file, --source and --retrieved are needed');

type Entry = Record<string, unknown>;
const entries = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Entry>);
const models = entries
  .filter(([id, entry]) => isTextModel(id, entry) && isCurrent(entry))
  .map(([id, entry]) => [idWithProvider(id, entry), fieldsOf(entry)] as const)
  .sort(([a], [b]) => (a < b ? -1 : 1));
const json = JSON.stringify({ source, retrieved, models: Object.fromEntries(models) }, null, 2);
writeFileSync(TABLE, `${json}\n`);
process.stdout.write(`${TABLE}: ${models.length} models\n`);

function isTextModel(id: string, entry: Entry): boolean {
  const { litellm_provider: provider, mode } = entry;
  if (!PROVIDERS.includes(String(provider)) || OTHER.test(id)) return false;
  return ['chat', 'responses'].includes(String(mode)) && 'input_cost_per_token' in entry;
}

/** Not withdrawn for longer than half a year: results of before are still looked at. */
function isCurrent({ deprecation_date: end }: Entry): boolean {
  if (typeof end !== 'string' || !retrieved) return true;
  return Date.parse(end) > Date.parse(retrieved) - 183 * 86_400_000;
}

function idWithProvider(id: string, { litellm_provider: provider }: Entry): string {
  return id.startsWith(`${provider}/`) ? id : `${provider}/${id}`;
}

function fieldsOf(entry: Entry): Entry {
  return Object.fromEntries(
    Object.entries(entry)
      .filter(([name]) => isPriceField(name) || LIMITS.includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

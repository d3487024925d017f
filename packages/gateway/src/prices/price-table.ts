import table from './prices.json' with { type: 'json' };

/** Where the shipped prices come from. */
export const PRICE_SOURCE: { readonly source: string; readonly retrieved: string } = {
  source: table.source,
  retrieved: table.retrieved,
};

const MODELS: ReadonlyMap<string, Readonly<Record<string, number>>> = new Map(Object.entries(table.models));

/** The price fields and limits of a model that we ship prices for. @param id as LiteLLM writes it, `anthropic/claude-opus-5-5` */
export function shippedFields(id: string): Readonly<Record<string, number>> | undefined {
  return MODELS.get(id);
}

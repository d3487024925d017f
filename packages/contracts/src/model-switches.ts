/**
 * What reaches past a run, and is refused of a model's requests unless a switch allows it: what a provider would fetch,
 * execute or keep, and what spends otherwise than a plain call.
 */
export const MODEL_SWITCHES = [
  'web_search',
  'web_fetch',
  'code_execution',
  'mcp',
  /** Whatever else a provider runs itself: file search, image generation, advisors. */
  'provider_tools',
  'url_content',
  'file_id',
  /** Stored answers, conversations, prompts and caches, and what refers to them. */
  'stored',
  'background',
  'service_tier',
  /** More than one answer to a request. */
  'choices',
] as const;
export type ModelSwitch = (typeof MODEL_SWITCHES)[number];

import type { ModelEndpoint } from '@ssebench/sdk/model/endpoint';

const DAY_MS = 86_400_000;
/** Tokens, where nobody says what the model takes. Near them it makes room in the conversation. */
const CONTEXT = 200_000;
/** Of an answer; the gateway lowers it to what the model can. */
const OUTPUT = 32_000;

/** Its clients, which are all within the program, best first: the first one that the provider understands keeps all its thoughts. */
const CLIENTS = [
  ['openai-responses', '@ai-sdk/openai'],
  ['anthropic-messages', '@ai-sdk/anthropic'],
  ['openai-chat', '@ai-sdk/openai-compatible'],
] as const;

/** What is known of the run's model; nothing where nobody can tell. */
interface KnownModel {
  /** The longest input that it reads, in tokens. */
  context: number | undefined;
  /** What its provider speaks. */
  protocols: readonly string[];
}

/** Nothing is fetched, sent or asked for beside the model; what the tree says about agents and tools is not followed by itself. */
export const VARIABLES: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_SHARE: '1',
  OPENCODE_PURE: '1',
};

/** OpenCode's settings: one provider with one model, for whatever it asks. */
export function settingsFor(
  { baseUrl, apiKey, model }: Pick<ModelEndpoint, 'baseUrl' | 'apiKey' | 'model'>,
  { context = CONTEXT, protocols }: KnownModel,
): object {
  const limit = { context, output: OUTPUT };
  const [, npm] = CLIENTS.find(([protocol]) => protocols.includes(protocol)) ?? CLIENTS[2];
  return {
    model: `ssebench/${model}`,
    small_model: `ssebench/${model}`,
    enabled_providers: ['ssebench'],
    provider: {
      ssebench: {
        name: 'SSEBench',
        npm,
        options: { baseURL: baseUrl, apiKey, timeout: false },
        models: { [model]: { name: model, attachment: true, reasoning: true, tool_call: true, limit } },
      },
    },
    mcp: { ssebench: { type: 'remote', url: 'http://localhost:3000/mcp', oauth: false, timeout: DAY_MS } },
    permission: { '*': 'allow', webfetch: 'deny', websearch: 'deny' },
    autoupdate: false,
    formatter: false,
    lsp: false,
    share: 'disabled',
    snapshot: false,
  };
}

import { type ModelEntry, variableOf } from '@ssebench/contracts/model-entry';
import { pricesFrom } from '../prices/price-fields.ts';
import { shippedFields } from '../prices/price-table.ts';
import type { GatewayModel, ProtocolName } from '../server/ports.ts';

/** The value of an environment variable; undefined: it is not set or empty. */
export type Variables = (name: string) => string | undefined;

/** Where a model is served, and in which protocols. */
interface Served {
  readonly kind: GatewayModel['provider'];
  readonly baseUrl: string;
  readonly protocols: readonly ProtocolName[];
  /** What people write behind the base URL although requests' paths begin with it. */
  readonly version: RegExp | undefined;
}

/** A provider that we know. */
interface Provider extends Served {
  /** The variable that holds the key where a model's file names none. */
  readonly keyVariable: string;
}

/** By the name that LiteLLM gives it. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    kind: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    protocols: ['anthropic-messages'],
    keyVariable: 'ANTHROPIC_API_KEY',
    version: /\/v1(\/messages)?$/,
  },
  openai: {
    kind: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    protocols: ['openai-chat', 'openai-responses'],
    keyVariable: 'OPENAI_API_KEY',
    version: undefined,
  },
  gemini: {
    kind: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com',
    protocols: ['gemini'],
    keyVariable: 'GOOGLE_API_KEY',
    version: /\/v1(beta)?(\/models)?$/,
  },
};

/** Where neither the request, nor the model's file, nor the price table says an output limit. */
const DEFAULT_OUTPUT_TOKENS = 8_192;

/** What the embedded gateway reads of a model's parameters; others, which LiteLLM would use, it does not send. */
const PARAMETERS = ['model', 'api_key', 'api_base', 'max_tokens'];

export interface UnservedModel {
  readonly name: string;
  /** Without the place. */
  readonly problem: string;
}

/**
 * The model as the gateway serves it. One that it can't serve is told with its reason; a missing key or price is not one
 * yet: the key may be set before the first call, and the price is asked for by name then.
 */
export function gatewayModel(entry: ModelEntry, variables: Variables): GatewayModel | UnservedModel {
  const { model_name: name, litellm_params: params, model_info: info = {} } = entry;
  const { provider: providerName, id } = splitModel(params.model);
  const own = PROVIDERS[providerName];
  const base = params.api_base === undefined ? undefined : literal(params.api_base, variables);
  if (params.api_base !== undefined && base === undefined) {
    return { name, problem: `litellm_params.api_base: ${variableOf(params.api_base)} is not set` };
  }
  if (base !== undefined && !isHttpUrl(base)) {
    return { name, problem: `litellm_params.api_base: must be an http or https URL` };
  }
  const provider: Served | undefined = own && (own.kind !== 'openai' || base === undefined) ? own : compatible(base);
  if (!provider) {
    const known = Object.keys(PROVIDERS).join(', ');
    const problem = `litellm_params.model: provider "${providerName}" is none of ${known}; add api_base, the base URL of its OpenAI-compatible API`;
    return { name, problem };
  }
  const fields = { ...shippedFields(info.base_model ?? params.model), ...info };
  const { max_output_tokens: maxOutputTokens, max_input_tokens: maxInputTokens } = fields;
  return {
    name,
    provider: provider.kind,
    protocols: info.protocols ?? provider.protocols,
    upstreamModel: id,
    baseUrl: trimmed(base ?? provider.baseUrl, provider.version),
    apiKey: () => apiKey(entry, variables),
    defaultOutputTokens: params.max_tokens ?? maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
    maxOutputTokens,
    maxInputTokens,
    prices: info.free ? 'free' : pricesFrom(fields, providerName),
  };
}

export function isServed(model: GatewayModel | UnservedModel): model is GatewayModel {
  return 'protocols' in model;
}

/** The parameters of an entry that the embedded gateway does not use. */
export function unusedParameters(entry: ModelEntry): string[] {
  return Object.keys(entry.litellm_params).filter((name) => !PARAMETERS.includes(name));
}

/** `anthropic/claude-opus-5-5` in two. */
export function splitModel(model: string): { provider: string; id: string } {
  const slash = model.indexOf('/');
  return { provider: model.slice(0, slash), id: model.slice(slash + 1) };
}

function compatible(base: string | undefined): Served | undefined {
  if (base === undefined) return undefined;
  return { kind: 'compatible', baseUrl: base, protocols: ['openai-chat'], version: undefined };
}

/** The variable that holds a model's key. Undefined: the key stands in the file, or the server asks for none. */
export function keyVariable({ litellm_params: { model, api_key, api_base } }: ModelEntry): string | undefined {
  if (api_key !== undefined) return variableOf(api_key);
  const own = PROVIDERS[splitModel(model).provider];
  return own?.kind === 'openai' && api_base !== undefined ? undefined : own?.keyVariable;
}

/** @throws Error that names the variable; a server that asks for no key has the empty one */
function apiKey(entry: ModelEntry, variables: Variables): string {
  const name = keyVariable(entry);
  if (name === undefined) return entry.litellm_params.api_key ?? '';
  const key = variables(name);
  if (key === undefined) throw new Error(`${name} is not set: put it into the environment or .env`);
  return key;
}

function literal(value: string, variables: Variables): string | undefined {
  const name = variableOf(value);
  return name === undefined ? value : variables(name);
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.search === '' && url.hash === '';
}

function trimmed(url: string, version: RegExp | undefined): string {
  const bare = url.replace(/\/+$/, '');
  return version ? bare.replace(version, '') : bare;
}

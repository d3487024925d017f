import { ENV } from '@ssebench/contracts/layout';

/** The protocols that a run's endpoint speaks. */
export const MODEL_PROTOCOLS = ['anthropic', 'openai', 'gemini'] as const;
export type ModelProtocol = (typeof MODEL_PROTOCOLS)[number];

/** What a client of a protocol is given. */
export interface ModelEndpoint {
  baseUrl: string;
  apiKey: string;
  model: string;
  /** The same as variables that the providers' own clients read. */
  variables: Readonly<Record<string, string>>;
}

/**
 * The run's model, as clients of this protocol are told of it. The base URL is the one that the providers' own clients
 * take: with `/v1` for OpenAI's Chat Completions and Responses, without a version for the others. Source: spec/runtime §14.
 * @throws Error naming the variable that is missing: this run has no model
 */
export function modelEndpoint(protocol: ModelProtocol, env: NodeJS.ProcessEnv = process.env): ModelEndpoint {
  const base = required(env, ENV.baseUrl).replace(/\/+$/, '');
  const apiKey = required(env, ENV.apiKey);
  const model = required(env, ENV.modelName);
  switch (protocol) {
    case 'anthropic': {
      const variables = { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: apiKey, ANTHROPIC_MODEL: model };
      return { baseUrl: base, apiKey, model, variables };
    }
    case 'openai': {
      const baseUrl = `${base}/v1`;
      return {
        baseUrl,
        apiKey,
        model,
        variables: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey, OPENAI_MODEL: model },
      };
    }
    case 'gemini': {
      const variables = { GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: apiKey, GEMINI_MODEL: model };
      return { baseUrl: base, apiKey, model, variables };
    }
  }
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new Error(`${name} is not set: this run has no model`);
}

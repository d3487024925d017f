import { MODEL_PROTOCOLS, type ModelProtocol } from '@ssebench/contracts/model-protocol';
import { modelEndpoint } from './endpoint.ts';

/** How long the gateway may take to say it. Milliseconds. */
const ASK_MS = 5_000;

/**
 * The protocols that the provider of the run's model speaks itself, so that nothing is lost in a translation: for programs
 * that can speak several. Empty where nobody can tell. @throws Error when this run has no model
 */
export async function providerProtocols(env: NodeJS.ProcessEnv = process.env): Promise<readonly ModelProtocol[]> {
  const { baseUrl, apiKey, model } = modelEndpoint('openai', env);
  try {
    const answer = await fetch(`${baseUrl}/models/${encodeURIComponent(model)}`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(ASK_MS),
    });
    const told: unknown = answer.ok ? await answer.json() : undefined;
    const listed = typeof told === 'object' && told !== null && 'protocols' in told ? told.protocols : undefined;
    return Array.isArray(listed) ? MODEL_PROTOCOLS.filter((name) => listed.includes(name)) : [];
  } catch {
    return [];
  }
}

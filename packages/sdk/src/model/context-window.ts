import { modelEndpoint } from './endpoint.ts';

/** How long the gateway may take to say it. Milliseconds. */
const ASK_MS = 5_000;

/**
 * The longest input that the run's model reads, in tokens, for programs that do not know it by its name. Undefined where
 * nobody can tell. @throws Error when this run has no model
 */
export async function contextWindow(env: NodeJS.ProcessEnv = process.env): Promise<number | undefined> {
  const { baseUrl, apiKey, model } = modelEndpoint('anthropic', env);
  try {
    const answer = await fetch(`${baseUrl}/v1/models/${encodeURIComponent(model)}`, {
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
      signal: AbortSignal.timeout(ASK_MS),
    });
    const told: unknown = answer.ok ? await answer.json() : undefined;
    const tokens = typeof told === 'object' && told !== null && 'max_input_tokens' in told && told.max_input_tokens;
    return typeof tokens === 'number' && tokens > 0 ? tokens : undefined;
  } catch {
    return undefined;
  }
}

import { z } from 'zod';

/** The protocols that the model gateway knows, by the names that files give them. */
export const MODEL_PROTOCOLS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini'] as const;

export const ModelProtocol = z.enum(MODEL_PROTOCOLS);
export type ModelProtocol = z.infer<typeof ModelProtocol>;

/** Those that the gateway translates into one another. */
const TRANSLATED: readonly ModelProtocol[] = ['anthropic-messages', 'openai-chat', 'openai-responses'];

/** Whether a client that speaks one of `spoken` can be served by a provider that speaks `provided`. */
export function isServed(spoken: readonly ModelProtocol[], provided: readonly ModelProtocol[]): boolean {
  const crosses = (protocols: readonly ModelProtocol[]) => protocols.some((name) => TRANSLATED.includes(name));
  return spoken.some((name) => provided.includes(name)) || (crosses(spoken) && crosses(provided));
}

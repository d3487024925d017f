import { z } from 'zod';

/** The protocols that the model gateway knows, by the names that files give them. */
export const MODEL_PROTOCOLS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini'] as const;

export const ModelProtocol = z.enum(MODEL_PROTOCOLS);
export type ModelProtocol = z.infer<typeof ModelProtocol>;

import { anthropicMessages } from './anthropic-messages.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Protocol, Route } from './protocol.ts';

/** In the order in which they are asked for a route: `/v1/models` is OpenAI's, unless the client names Anthropic's version. */
const ALL_PROTOCOLS: readonly Protocol[] = [anthropicMessages, openaiChat, openaiResponses, gemini];

/** @param path without the query */
export function findRoute(method: string, path: string): { protocol: Protocol; route: Route } | undefined {
  for (const protocol of ALL_PROTOCOLS) {
    const route = protocol.route(method, path);
    if (route !== undefined) return { protocol, route };
  }
  return undefined;
}

/** The protocol in whose shape a client expects an error for a path that is no route, as well as the path tells. */
export function protocolOf(path: string): Protocol {
  if (path.startsWith('/v1/messages')) return anthropicMessages;
  if (/^\/v1(beta|alpha)/.test(path) || path.includes(':')) return gemini;
  return path.includes('/responses') ? openaiResponses : openaiChat;
}

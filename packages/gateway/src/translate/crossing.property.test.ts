import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from '../json/scan.ts';
import { anthropicMessages } from '../protocols/anthropic-messages.ts';
import { openaiChat } from '../protocols/openai-chat.ts';
import { openaiResponses } from '../protocols/openai-responses.ts';
import { CODECS } from './codecs.ts';
import type { AssistantPart, Conversation, UserPart } from './conversation.ts';
import { Fields } from './fields.ts';
import { conversations, type Translated } from './testing/arbitrary.ts';
import { testModel } from './testing/models.ts';
import { translators } from './translator.ts';

const PROTOCOLS = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
} as const;
const NAMES = Object.keys(PROTOCOLS) as Translated[];
const WAYS = NAMES.flatMap((client) => NAMES.filter((name) => name !== client).map((name) => [client, name] as const));
const NOTHING_MORE = { switches: new Set<never>(), fields: new Set<string>() };

type Part = UserPart | AssistantPart;

/** Without the settings that not every protocol has, which are refused. */
function sayable(conversation: Conversation): Conversation {
  return { ...conversation, settings: { ...conversation.settings, topK: undefined, stops: [], format: undefined } };
}

/** All that stands in a conversation, the parts of results too, but for thoughts. */
function parts({ turns }: Conversation): Part[] {
  const all = turns.flatMap(({ content }): Part[] => [...content]);
  return all.flatMap((part): Part[] => (part.kind === 'result' ? [part, ...part.content] : [part]));
}

/** What a model must see of it, in order; texts apart, which a protocol may join. */
function seen(conversation: Conversation) {
  const all = parts(conversation);
  return {
    calls: all.flatMap((part) =>
      part.kind === 'call' && !part.custom && !part.namespace ? [[part.id, part.name, part.input]] : [],
    ),
    results: all.flatMap((part) => (part.kind === 'result' ? [part.callId] : [])),
    media: all.flatMap((part) => (part.kind === 'image' || part.kind === 'file' ? [part.url] : [])).sort(),
  };
}

function text(conversation: Conversation): string {
  return parts(conversation)
    .map((part) => (part.kind === 'text' || part.kind === 'refusal' ? part.text : ''))
    .join('\n');
}

describe.each(WAYS)('any request of %s for a model of %s', (client, provider) => {
  const [from, to] = [CODECS[client], CODECS[provider]];
  const model = testModel(provider);
  const [translator] = translators(client, model);
  if (from === undefined || to === undefined || translator === undefined) throw new Error('no way');

  test('keeps all that the model must see and is what the provider\u2019s own allow-list lets pass', () => {
    fc.assert(
      fc.property(conversations(client).map(sayable), (conversation) => {
        const asked = scanJson(Buffer.from(from.writeRequest(conversation, testModel(client))));
        const view = scanJson(translator.begin(asked, model).request);
        const protocol = PROTOCOLS[provider];
        const route = { operation: 'answer', upstreamPath: '' } as const;
        const { model: named, stream } = protocol.inspect(view, route, NOTHING_MORE);
        expect({ named, stream }).toEqual({ named: conversation.model, stream: conversation.stream });
        const arrived = to.readRequest(Fields.ofRequest(view));
        const sent = seen(conversation);
        expect(seen(arrived)).toMatchObject({ results: sent.results, media: sent.media });
        expect(seen(arrived).calls).toEqual(expect.arrayContaining(sent.calls));
        expect(arrived.tools).toHaveLength(conversation.tools.length);
        const words = text(arrived);
        for (const part of parts(conversation)) if (part.kind === 'text') expect(words).toContain(part.text);
      }),
      { numRuns: 80 },
    );
  });
});

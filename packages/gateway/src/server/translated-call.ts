import type { JsonView } from '../json/view.ts';
import type { Allowance } from '../protocols/allow.ts';
import { anthropicMessages } from '../protocols/anthropic-messages.ts';
import { openaiChat } from '../protocols/openai-chat.ts';
import { openaiResponses } from '../protocols/openai-responses.ts';
import type { Asked, Protocol, Route, WireError } from '../protocols/protocol.ts';
import { TranslationError } from '../translate/fields.ts';
import { type Translation, type Translator, translators } from '../translate/translator.ts';
import { faults } from './faults.ts';
import { type Looked, look } from './look.ts';
import type { GatewayModel, ProtocolName } from './ports.ts';

/** The protocols that are translated to, and where their requests are sent. */
const PROVIDERS: Readonly<Partial<Record<ProtocolName, readonly [protocol: Protocol, path: string]>>> = {
  'anthropic-messages': [anthropicMessages, '/v1/messages'],
  'openai-chat': [openaiChat, '/v1/chat/completions'],
  'openai-responses': [openaiResponses, '/v1/responses'],
};

/** What a call is to its provider: the same request in the provider's own protocol. */
interface TranslatedCall {
  readonly protocol: Protocol;
  readonly route: Route;
  readonly view: JsonView;
  readonly asked: Asked;
  readonly translation: Translation;
}

type Untranslated = Extract<Looked, { error: WireError }>;

/** A request that the allow-list of its own protocol let pass, for a model whose provider speaks another one. */
export function translated(
  client: Protocol,
  route: Route,
  view: JsonView,
  model: GatewayModel,
  allowance: Allowance,
): TranslatedCall | Untranslated {
  const ways = translators(client.name, model);
  if (ways.length === 0) {
    return { error: faults.notServed(model.name, `its provider does not speak ${client.name}`) };
  }
  if (route.operation !== 'answer') return { error: faults.noCount(model.name) };
  let first: Untranslated | undefined;
  for (const way of ways) {
    const made = translate(way, view, model, allowance);
    if (!('error' in made)) return made;
    first ??= made;
  }
  return first ?? { error: faults.internal() };
}

function translate(
  way: Translator,
  view: JsonView,
  model: GatewayModel,
  allowance: Allowance,
): TranslatedCall | Untranslated {
  const [protocol, path] = PROVIDERS[way.provider] ?? [];
  const route = protocol?.route('POST', path ?? '');
  if (protocol === undefined || route === undefined) return { error: faults.internal() };
  try {
    const translation = way.begin(view, model);
    const looked = look(protocol, route, translation.request, allowance);
    if ('error' in looked) return looked;
    return { protocol, route, translation, view: looked.view, asked: looked.asked };
  } catch (error) {
    if (!(error instanceof TranslationError)) throw error;
    const { kind, path, found } = error;
    if (kind === 'malformed') return { error: faults.malformed(error.message, path) };
    const field = path.replaceAll(/\[\d+\]/g, '[]');
    return {
      error: faults.untranslatable(path, found, way.provider),
      refused: { code: 'untranslatable', field, found },
    };
  }
}

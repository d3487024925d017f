import { JsonError, scanJson } from '../json/scan.ts';
import type { JsonView } from '../json/view.ts';
import type { GatewayModel, ProtocolName } from '../server/ports.ts';
import type { Codec, StreamEvent } from './codec.ts';
import { CODECS } from './codecs.ts';
import type { Conversation } from './conversation.ts';
import { errorBody, errorFromBody } from './errors.ts';
import { Fields, TranslationError } from './fields.ts';
import { SettingRefused } from './settings.ts';
import { StreamTranslation } from './stream-translation.ts';
import { ToolNames } from './tool-names.ts';

/** What lies between a client and a provider that speak different protocols. Without state. */
export interface Translator {
  readonly provider: ProtocolName;
  /**
   * Reads what a client asks for. Nothing of it is left out but hints.
   * @throws TranslationError naming the field that the provider's protocol can't say
   */
  begin(request: JsonView, model: GatewayModel): Translation;
}

/** One call's. */
export interface Translation {
  readonly provider: ProtocolName;
  /** The request as it goes to the provider, under the name of the model that the client uses. */
  readonly request: Buffer;
  /** A whole answer as the client gets it. @throws TranslationError */
  answer(body: Buffer): string;
  /** @param watch is shown every event of the provider */
  stream(watch?: (event: StreamEvent) => void): StreamTranslation;
  /** The body of an answer that is an error. */
  error(status: number, body: Buffer): string;
}

/** Which of the provider's protocols a client's is translated to first: what carries the model's thoughts comes first. */
const PREFERRED: Readonly<Partial<Record<ProtocolName, readonly ProtocolName[]>>> = {
  'anthropic-messages': ['openai-responses', 'openai-chat'],
  'openai-chat': ['anthropic-messages', 'openai-responses'],
  'openai-responses': ['anthropic-messages', 'openai-chat'],
};

/** The ways from a client's protocol to what a model's provider speaks, best first; none when there is none. */
export function translators(client: ProtocolName, model: GatewayModel): Translator[] {
  const from = CODECS[client];
  const names = (PREFERRED[client] ?? []).filter((name) => model.protocols.includes(name));
  return names.flatMap((name) => {
    const to = CODECS[name];
    return from && to ? [new CodecTranslator({ name: client, codec: from }, { name, codec: to })] : [];
  });
}

interface End {
  readonly name: ProtocolName;
  readonly codec: Codec;
}

class CodecTranslator implements Translator {
  readonly #client: End;
  readonly #provider: End;

  constructor(client: End, provider: End) {
    this.#client = client;
    this.#provider = provider;
  }

  get provider(): ProtocolName {
    return this.#provider.name;
  }

  begin(request: JsonView, model: GatewayModel): Translation {
    const { codec } = this.#client;
    const conversation = codec.readRequest(Fields.ofRequest(request));
    const names = new ToolNames(conversation.tools, this.provider);
    try {
      const text = this.#provider.codec.writeRequest(names.lower(conversation), model);
      return this.#translation(conversation, names, Buffer.from(text));
    } catch (error) {
      if (!(error instanceof SettingRefused)) throw error;
      throw new TranslationError('untranslatable', codec.fields[error.setting], 'a setting');
    }
  }

  #translation(conversation: Conversation, names: ToolNames, request: Buffer): Translation {
    const { name: client, codec } = this.#client;
    const provider = this.#provider.codec;
    return {
      provider: this.provider,
      request,
      answer(body) {
        const reply = provider.readReply(Fields.ofAnswer(scanned(body)));
        const parts = reply.parts.map((part) => (part.kind === 'call' ? names.raise(part) : part));
        return codec.writeReply({ ...reply, parts });
      },
      stream: (watch) =>
        new StreamTranslation({
          watch: watch ?? (() => undefined),
          reader: provider.eventReader(),
          raise: names.raiseStream(),
          writer: codec.eventWriter(conversation),
        }),
      error: (status, body) => errorBody(errorFromBody(status, body), client),
    };
  }
}

function scanned(body: Buffer): JsonView {
  try {
    return scanJson(body);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new TranslationError('malformed', 'the answer', error.message);
  }
}

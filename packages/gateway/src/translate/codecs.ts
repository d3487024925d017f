import type { ProtocolName } from '../server/ports.ts';
import { AnthropicEventReader, AnthropicEventWriter } from './anthropic/events.ts';
import { ANTHROPIC_FIELDS, readAnthropicRequest } from './anthropic/read-request.ts';
import { readAnthropicReply, writeAnthropicReply } from './anthropic/reply.ts';
import { writeAnthropicRequest } from './anthropic/write-request.ts';
import { ChatEventReader, ChatEventWriter } from './chat/events.ts';
import { CHAT_FIELDS, readChatRequest } from './chat/read-request.ts';
import { readChatReply, writeChatReply } from './chat/reply.ts';
import { writeChatRequest } from './chat/write-request.ts';
import type { Codec } from './codec.ts';
import { ResponsesEventReader } from './responses/event-reader.ts';
import { ResponsesEventWriter } from './responses/event-writer.ts';
import { RESPONSES_FIELDS, readResponsesRequest } from './responses/read-request.ts';
import { readResponsesReply, writeResponsesReply } from './responses/reply.ts';
import { writeResponsesRequest } from './responses/write-request.ts';

/** The protocols that are translated. */
export const CODECS: Readonly<Partial<Record<ProtocolName, Codec>>> = {
  'anthropic-messages': {
    fields: ANTHROPIC_FIELDS,
    readRequest: readAnthropicRequest,
    writeRequest: writeAnthropicRequest,
    readReply: readAnthropicReply,
    writeReply: writeAnthropicReply,
    eventReader: () => new AnthropicEventReader(),
    eventWriter: () => new AnthropicEventWriter(),
  },
  'openai-chat': {
    fields: CHAT_FIELDS,
    readRequest: readChatRequest,
    writeRequest: writeChatRequest,
    readReply: readChatReply,
    writeReply: writeChatReply,
    eventReader: () => new ChatEventReader(),
    eventWriter: (conversation) => new ChatEventWriter(conversation),
  },
  'openai-responses': {
    fields: RESPONSES_FIELDS,
    readRequest: readResponsesRequest,
    writeRequest: writeResponsesRequest,
    readReply: readResponsesReply,
    writeReply: writeResponsesReply,
    eventReader: () => new ResponsesEventReader(),
    eventWriter: () => new ResponsesEventWriter(),
  },
};

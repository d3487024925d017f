import type { GatewayModel } from '../server/ports.ts';
import type { Conversation, Reply, ReplyEvent, Settings } from './conversation.ts';
import type { Fields } from './fields.ts';

/** The object that an event of a stream holds. */
export type StreamEvent = Readonly<Record<string, unknown>>;

/** Reads the events of a provider's stream. */
export interface EventReader {
  read(event: StreamEvent): ReplyEvent[];
  /** The stream is over: what was kept back. Without an `end` before or in it the answer is not whole. */
  end(): ReplyEvent[];
}

/** Writes an answer's events as a stream for a client. */
export interface EventWriter {
  write(event: ReplyEvent): string;
}

/** One protocol, read and written. */
export interface Codec {
  /** How the protocol calls the settings of a request. */
  readonly fields: Readonly<Record<keyof Settings, string>>;
  /** @throws TranslationError */
  readRequest(request: Fields): Conversation;
  /** @throws TranslationError, SettingRefused */
  writeRequest(conversation: Conversation, model: GatewayModel): string;
  /** @throws TranslationError */
  readReply(reply: Fields): Reply;
  writeReply(reply: Reply): string;
  eventReader(): EventReader;
  eventWriter(conversation: Conversation): EventWriter;
}

import type { ProtocolName, Usage } from '../server/ports.ts';

/** What every protocol's conversations are translated through. Nothing here belongs to one protocol. */

export interface Text {
  readonly kind: 'text';
  readonly text: string;
}

/** What the model said instead of an answer, where the protocol tells the two apart. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly text: string;
}

export interface Image {
  readonly kind: 'image';
  /** `data:` with base64, or an address that the run allows. */
  readonly url: string;
  /** How closely to look, in OpenAI's words. A hint. */
  readonly detail?: string | undefined;
}

export interface File {
  readonly kind: 'file';
  /** `data:` with base64, or an address that the run allows. */
  readonly url: string;
  readonly name?: string | undefined;
}

/** A tool call of the model's. */
export interface Call {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  /** The input is text of the tool's own grammar, not JSON. */
  readonly custom: boolean;
  /** As the model wrote it: not always JSON even where it should be. */
  readonly input: string;
}

/** What a tool call gave. */
export interface Result {
  readonly kind: 'result';
  readonly callId: string;
  readonly content: readonly Content[];
  readonly failed: boolean;
  /** Of a call whose input was no JSON. */
  readonly custom: boolean;
}

/** What only the provider that made it can read of the model's thoughts. */
export interface Seal {
  readonly by: ProtocolName;
  /** Where it belongs in that protocol. */
  readonly form: string;
  readonly data: string;
}

export interface Reasoning {
  readonly kind: 'reasoning';
  /** May be empty, or a summary of what is sealed. */
  readonly text: string;
  readonly seal: Seal | undefined;
}

export type Content = Text | Image | File;
export type UserPart = Content | Result;
export type AssistantPart = Text | Refusal | Call | Reasoning;

export type Turn =
  | { readonly role: 'system'; readonly content: readonly Text[] }
  | { readonly role: 'user'; readonly content: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantPart[] };

export interface Tool {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly description: string | undefined;
  /** JSON Schema of the input, as JSON text; undefined: of a custom tool, or none was given. */
  readonly schema: string | undefined;
  /** The input is text; `grammar` is its format as JSON text, as OpenAI writes it. */
  readonly custom: false | { readonly grammar: string | undefined };
  readonly strict: boolean | undefined;
}

export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string; readonly namespace?: string | undefined; readonly custom: boolean };

/** What the answer's text has to be. */
export type Format =
  | { readonly kind: 'json_object' }
  | {
      readonly kind: 'json_schema';
      readonly name: string;
      readonly description: string | undefined;
      /** As JSON text. */
      readonly schema: string;
      readonly strict: boolean | undefined;
    };

/** What a request sets, each in one place of it. */
export interface Settings {
  readonly toolChoice: ToolChoice | undefined;
  /** Whether several tools may be called at a time. */
  readonly parallel: boolean | undefined;
  readonly limit: number | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly stops: readonly string[];
  readonly format: Format | undefined;
}

/** What a request wishes for; a protocol that can't say it leaves it out. */
export interface Hints {
  /** How hard to think: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`. */
  readonly effort: string | undefined;
  /** The client shows the model's thoughts. */
  readonly showReasoning: boolean;
  readonly verbosity: string | undefined;
  readonly cacheKey: string | undefined;
}

export interface Conversation {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly stream: boolean;
  /** The client wants the usage at the end of a stream, where that is a choice. */
  readonly streamUsage: boolean;
  readonly settings: Settings;
  readonly hints: Hints;
}

/** Why the model stopped. */
export type Stop =
  | { readonly reason: 'end' | 'tools' | 'limit' | 'refusal' }
  | { readonly reason: 'stop_sequence'; readonly sequence: string };

/** A whole answer. */
export interface Reply {
  readonly id: string;
  readonly model: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly parts: readonly AssistantPart[];
  readonly stop: Stop;
  readonly usage: Usage;
}

export type ReplyPart =
  | Omit<Text, 'text'>
  | Omit<Refusal, 'text'>
  | Omit<Call, 'input'>
  | { readonly kind: 'reasoning' };

/** An answer as it comes: `start`, parts one after another, `end`. An `error` ends it at any time. */
export type ReplyEvent =
  | { readonly event: 'start'; readonly id: string; readonly model: string; readonly created: number }
  | { readonly event: 'open'; readonly part: ReplyPart }
  /** Of the part that is open. */
  | { readonly event: 'delta'; readonly text: string }
  | { readonly event: 'close'; readonly seal?: Seal | undefined }
  | { readonly event: 'end'; readonly stop: Stop; readonly usage: Usage }
  | { readonly event: 'error'; readonly error: ProviderError };

export type ProviderErrorKind =
  | 'context'
  | 'request'
  | 'unauthorized'
  | 'denied'
  | 'not_found'
  | 'too_large'
  | 'quota'
  | 'rate'
  | 'overloaded'
  | 'server';

/** What a provider said went wrong. */
export interface ProviderError {
  readonly kind: ProviderErrorKind;
  readonly message: string;
}

export const NO_USAGE: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

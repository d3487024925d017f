import { openaiChat } from '../../protocols/openai-chat.ts';
import type { AssistantPart, Call, Reply, Stop } from '../conversation.ts';
import { type Fields, TranslationError } from '../fields.ts';
import { type Json, jsonText } from '../json-text.ts';
import { UsageReader, writtenOpenaiUsage } from '../usage.ts';
import { assistantParts } from './assistant-parts.ts';

/** @throws TranslationError */
export function readChatReply(reply: Fields): Reply {
  const [choice] = reply.objects('choices');
  const message = choice?.object('message');
  if (choice === undefined || message === undefined) {
    throw new TranslationError('malformed', 'choices[0].message', 'is missing');
  }
  const usage = new UsageReader(openaiChat);
  usage.read(JSON.parse(reply.json('usage') ?? 'null'));
  const parts = assistantParts(message);
  const matched = choice.kind('stop_reason') === 'string' ? choice.string('stop_reason') : undefined;
  const called = parts.some(({ kind }) => kind === 'call');
  return {
    id: reply.string('id') ?? '',
    model: reply.string('model') ?? '',
    created: reply.number('created') ?? Math.floor(Date.now() / 1000),
    parts,
    stop: chatStop(choice.string('finish_reason') ?? '', matched, called),
    usage: usage.usage,
  };
}

/** @param matched the stop sequence that was met, which some servers tell */
export function chatStop(reason: string, matched: string | undefined, called: boolean): Stop {
  if (reason === 'length') return { reason: 'limit' };
  if (reason === 'content_filter') return { reason: 'refusal' };
  if (called) return { reason: 'tools' };
  return matched ? { reason: 'stop_sequence', sequence: matched } : { reason: 'end' };
}

const REASONS = {
  end: 'stop',
  stop_sequence: 'stop',
  tools: 'tool_calls',
  limit: 'length',
  refusal: 'content_filter',
} as const;

export function finishReason(stop: Stop): string {
  return REASONS[stop.reason];
}

export function writeChatReply({ id, model, created, parts, stop, usage }: Reply): string {
  const choice = { index: 0, message: message(parts), logprobs: null, finish_reason: finishReason(stop) };
  const written = writtenOpenaiUsage(usage, 'prompt', 'completion');
  return jsonText({ id, object: 'chat.completion', created, model, choices: [choice], usage: written });
}

function message(parts: readonly AssistantPart[]): Json {
  const joined = (kind: 'text' | 'refusal' | 'reasoning', between: string) => {
    const texts = parts.flatMap((part) => (part.kind !== 'call' && part.kind === kind ? [part.text] : []));
    return texts.length === 0 ? undefined : texts.join(between);
  };
  const calls = parts.filter((part) => part.kind === 'call');
  return {
    role: 'assistant',
    content: joined('text', '') ?? null,
    refusal: joined('refusal', '') ?? null,
    reasoning_content: joined('reasoning', '\n\n') || undefined,
    tool_calls: calls.length === 0 ? undefined : calls.map(call),
  };
}

function call({ id, name, custom, input }: Call): Json {
  if (custom) return { id, type: 'custom', custom: { name, input } };
  return { id, type: 'function', function: { name, arguments: input } };
}

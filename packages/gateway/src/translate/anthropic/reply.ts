import { anthropicMessages } from '../../protocols/anthropic-messages.ts';
import type { AssistantPart, Reply, Stop } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import { inputObject, type Json, jsonText } from '../json-text.ts';
import { sealText } from '../seal.ts';
import { UsageReader, writtenAnthropicUsage } from '../usage.ts';
import { anthropicReplyPart } from './read-request.ts';

/** @throws TranslationError */
export function readAnthropicReply(reply: Fields): Reply {
  const usage = new UsageReader(anthropicMessages);
  usage.read(JSON.parse(reply.json('usage') ?? 'null'));
  return {
    id: reply.needed('id'),
    model: reply.string('model') ?? '',
    created: Math.floor(Date.now() / 1000),
    parts: reply.objects('content').map(anthropicReplyPart),
    stop: anthropicStop(reply.string('stop_reason'), reply.string('stop_sequence')),
    usage: usage.usage,
  };
}

export function anthropicStop(reason: string | undefined, sequence: string | undefined): Stop {
  switch (reason) {
    case 'tool_use':
      return { reason: 'tools' };
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { reason: 'limit' };
    case 'refusal':
      return { reason };
    case 'stop_sequence':
      return sequence === undefined ? { reason: 'end' } : { reason, sequence };
    default:
      return { reason: 'end' };
  }
}

export function writeAnthropicReply({ id, model, parts, stop, usage }: Reply): string {
  const refused = parts.some(({ kind }) => kind === 'refusal');
  return jsonText({
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: parts.map(block),
    ...writtenStop(stop, refused),
    usage: writtenAnthropicUsage(usage),
  });
}

function block(part: AssistantPart): Json {
  if (part.kind === 'reasoning') {
    const signature = part.seal === undefined ? '' : sealText(part.seal, 'anthropic-messages');
    return { type: 'thinking', thinking: part.text, signature };
  }
  if (part.kind !== 'call') return { type: 'text', text: part.text };
  return { type: 'tool_use', id: part.id, name: part.name, input: inputObject(part.input) };
}

const REASONS = { end: 'end_turn', tools: 'tool_use', limit: 'max_tokens', refusal: 'refusal' } as const;

/** @param refused the model said that it refuses, in a part of its own */
export function writtenStop(stop: Stop, refused: boolean): { readonly [name: string]: Json } {
  if (stop.reason === 'stop_sequence') return { stop_reason: stop.reason, stop_sequence: stop.sequence };
  const reason = refused && stop.reason === 'end' ? 'refusal' : REASONS[stop.reason];
  return { stop_reason: reason, stop_sequence: null };
}

import type { AssistantPart, Call, Reasoning, Refusal, Text } from '../conversation.ts';
import type { Fields } from '../fields.ts';
import type { Json } from '../json-text.ts';
import { sealFrom, sealText } from '../seal.ts';

/** What the model said and did, as items of the Responses API: the same in a request's input and in an answer's output. */

const OWN = 'openai-responses';

/** @throws TranslationError for an item of another type */
export function replyItem(type: string, item: Fields): AssistantPart[] {
  switch (type) {
    case 'message':
      return message(item);
    case 'reasoning':
      return [reasoning(item)];
    case 'function_call':
    case 'custom_tool_call':
      return [call(type, item)];
    default:
      return item.refuse('type');
  }
}

function message(item: Fields): AssistantPart[] {
  const content = item.drop('role', 'phase', 'id', 'status').content('content') ?? [];
  return typeof content === 'string' ? [{ kind: 'text', text: content }] : content.map(part);
}

function part(fields: Fields): Text | Refusal {
  const type = fields.needed('type');
  if (type === 'refusal') return { kind: 'refusal', text: fields.needed('refusal') };
  if (type !== 'output_text' && type !== 'text') fields.refuse('type');
  return { kind: 'text', text: fields.needed('text') };
}

function reasoning(item: Fields): Reasoning {
  const content = item.objects('content');
  const parts = content.length > 0 ? content : item.objects('summary');
  const text = parts.map((part) => part.needed('text')).join('\n\n');
  item.drop('summary', 'id', 'status');
  return { kind: 'reasoning', text, seal: sealFrom(item.string('encrypted_content'), OWN, 'encrypted') };
}

function call(type: string, item: Fields): Call {
  const custom = type === 'custom_tool_call';
  item.drop('id', 'status', 'caller');
  return {
    kind: 'call',
    id: item.needed('call_id'),
    name: item.needed('name'),
    namespace: item.string('namespace'),
    custom,
    input: item.string(custom ? 'input' : 'arguments') ?? '',
  };
}

/** @param own members that the item has beside, such as its id */
export function writtenItem(part: AssistantPart, own: { readonly [name: string]: Json }): { [name: string]: Json } {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { type: 'message', ...own, role: 'assistant', content: [writtenText(part)] };
    case 'reasoning': {
      const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
      return { type: 'reasoning', ...own, summary, encrypted_content: part.seal && sealText(part.seal, OWN) };
    }
    case 'call':
      return writtenCall(part, own);
  }
}

export function writtenText(part: Text | Refusal): { [name: string]: Json } {
  if (part.kind === 'refusal') return { type: 'refusal', refusal: part.text };
  return { type: 'output_text', text: part.text, annotations: [] };
}

function writtenCall(call: Call, own: { readonly [name: string]: Json }): { [name: string]: Json } {
  const { id, name, namespace, custom, input } = call;
  const named = { call_id: id, name, namespace };
  if (custom) return { type: 'custom_tool_call', ...own, ...named, input };
  return { type: 'function_call', ...own, ...named, arguments: input };
}

import type { AssistantPart, Call, Reasoning, Refusal, Text } from '../conversation.ts';
import type { Fields } from '../fields.ts';

/** Of a request's message or of an answer. */
export function assistantParts(message: Fields): AssistantPart[] {
  return [...thoughts(message), ...said(message), ...message.objects('tool_calls').flatMap(call)];
}

/** Under the name by which the server calls them: it wants them back under the same. */
function thoughts(message: Fields): AssistantPart[] {
  for (const form of ['reasoning_content', 'reasoning']) {
    const text = message.string(form);
    message.drop('reasoning_content', 'reasoning', 'reasoning_details');
    if (text !== undefined && text !== '') {
      return [{ kind: 'reasoning', text, seal: { by: 'openai-chat', form, data: '' } }];
    }
  }
  return [];
}

function said(message: Fields): AssistantPart[] {
  const content = message.content('content') ?? [];
  const refusal = message.string('refusal');
  const all: (Text | Refusal)[] =
    typeof content === 'string' ? [{ kind: 'text', text: content }] : content.map(saidPart);
  if (refusal !== undefined) all.push({ kind: 'refusal', text: refusal });
  return all.filter(({ text }) => text !== '');
}

function saidPart(fields: Fields): Text | Refusal {
  const type = fields.needed('type');
  if (type !== 'refusal' && type !== 'text') fields.refuse('type');
  const part: Text | Refusal =
    type === 'refusal' ? { kind: type, text: fields.needed('refusal') } : { kind: 'text', text: fields.needed('text') };
  fields.done();
  return part;
}

/** What a server has to get back with a call (Google's has its thoughts there) is told as thoughts before it. */
function call(fields: Fields): AssistantPart[] {
  const extra = fields.json(EXTRA);
  const id = fields.needed('id');
  const custom = fields.string('type') === 'custom';
  const inner = fields.drop('index').object(custom ? 'custom' : 'function');
  if (inner === undefined) return fields.refuse('type');
  const input = inner.string(custom ? 'input' : 'arguments') ?? '';
  const read: Call = { kind: 'call', id, name: inner.needed('name'), custom, input };
  inner.done();
  fields.done();
  return extra === undefined ? [read] : [extraThoughts(extra), read];
}

export const EXTRA = 'extra_content';

function extraThoughts(data: string): Reasoning {
  return { kind: 'reasoning', text: '', seal: { by: 'openai-chat', form: EXTRA, data } };
}

import type { EventWriter } from '../codec.ts';
import type { AssistantPart, Reply, ReplyEvent, ReplyPart, Seal } from '../conversation.ts';
import { openaiErrorObject } from '../errors.ts';
import type { Json } from '../json-text.ts';
import { namedEvent } from '../sse.ts';
import { writtenItem, writtenText } from './items.ts';
import { itemId, responseObject } from './reply.ts';

type Members = { readonly [name: string]: Json };

/** What a part's events are called. */
const NAMES = {
  text: 'response.output_text',
  refusal: 'response.refusal',
  reasoning: 'response.reasoning_summary_text',
  call: 'response.function_call_arguments',
  custom: 'response.custom_tool_call_input',
} as const;

/** The protocol repeats every part when it is over, and all of them at the end: the answer's text is kept for that. */
export class ResponsesEventWriter implements EventWriter {
  #sequence = 0;
  #head: Pick<Reply, 'id' | 'model' | 'created'> = { id: '', model: '', created: 0 };
  readonly #output: Json[] = [];
  #part: ReplyPart | undefined;
  #text: string[] = [];

  write(event: ReplyEvent): string {
    switch (event.event) {
      case 'start': {
        this.#head = event;
        const response = responseObject(event, [], undefined);
        return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
      }
      case 'open':
        return this.#open(event.part);
      case 'delta':
        this.#text.push(event.text);
        return this.#event(`${this.#name}.delta`, { ...this.#place, delta: event.text });
      case 'close':
        return this.#close(event.seal);
      case 'end': {
        const response = responseObject(this.#head, this.#output, event);
        return this.#event(`response.${String(response['status'])}`, { response });
      }
      case 'error': {
        const { code, message } = openaiErrorObject(event.error);
        const response = { ...responseObject(this.#head, this.#output, undefined), status: 'failed' };
        const error = { code: code ?? 'invalid_prompt', message };
        return this.#event('response.failed', { response: { ...response, error } });
      }
    }
  }

  #event(type: string, data: Members): string {
    return namedEvent(type, { sequence_number: this.#sequence++, ...data });
  }

  get #name(): string {
    const part = this.#part;
    return part?.kind === 'call' && part.custom ? NAMES.custom : NAMES[part?.kind ?? 'text'];
  }

  get #id(): string {
    return itemId(this.#head.id, this.#part ?? { kind: 'text' }, this.#output.length);
  }

  /** Where the part that is open stands. */
  get #place(): Members {
    const place = { item_id: this.#id, output_index: this.#output.length };
    if (this.#part?.kind === 'call') return place;
    return this.#part?.kind === 'reasoning' ? { ...place, summary_index: 0 } : { ...place, content_index: 0 };
  }

  #open(part: ReplyPart): string {
    this.#part = part;
    this.#text = [];
    const item = writtenItem(whole(part, '', undefined), { id: this.#id, status: 'in_progress' });
    if (part.kind === 'text' || part.kind === 'refusal') item['content'] = [];
    const added = this.#event('response.output_item.added', { output_index: this.#output.length, item });
    const place = this.#place;
    if (part.kind === 'call') return added;
    if (part.kind === 'reasoning') {
      const empty = { type: 'summary_text', text: '' };
      return added + this.#event('response.reasoning_summary_part.added', { ...place, part: empty });
    }
    return (
      added + this.#event('response.content_part.added', { ...place, part: writtenText({ kind: part.kind, text: '' }) })
    );
  }

  #close(seal: Seal | undefined): string {
    const part = this.#part;
    if (part === undefined) return '';
    const text = this.#text.join('');
    const made = whole(part, text, seal);
    const item = writtenItem(made, { id: this.#id, status: 'completed' });
    const done = this.#event(`${this.#name}.done`, { ...this.#place, ...this.#said(part, text) });
    const partDone = this.#partDone(made);
    const itemDone = this.#event('response.output_item.done', { output_index: this.#output.length, item });
    this.#output.push(item);
    this.#part = undefined;
    return done + partDone + itemDone;
  }

  #said(part: ReplyPart, text: string): Members {
    if (part.kind !== 'call') return part.kind === 'refusal' ? { refusal: text } : { text };
    return part.custom ? { input: text } : { name: part.name, arguments: text };
  }

  #partDone(part: AssistantPart): string {
    if (part.kind === 'call') return '';
    if (part.kind === 'reasoning') {
      const summary = { type: 'summary_text', text: part.text };
      return this.#event('response.reasoning_summary_part.done', { ...this.#place, part: summary });
    }
    return this.#event('response.content_part.done', { ...this.#place, part: writtenText(part) });
  }
}

function whole(part: ReplyPart, text: string, seal: Seal | undefined): AssistantPart {
  if (part.kind === 'call') return { ...part, input: text };
  return part.kind === 'reasoning' ? { kind: part.kind, text, seal } : { kind: part.kind, text };
}

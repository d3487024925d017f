import { anthropicMessages } from '../../protocols/anthropic-messages.ts';
import type { EventReader, EventWriter, StreamEvent } from '../codec.ts';
import type { ReplyEvent, ReplyPart, Seal, Stop } from '../conversation.ts';
import { NO_USAGE } from '../conversation.ts';
import { anthropicErrorText, errorFrom } from '../errors.ts';
import type { Json } from '../json-text.ts';
import { ReplyParts } from '../reply-parts.ts';
import { sealText } from '../seal.ts';
import { namedEvent, StreamFault, stringAt, valueAt } from '../sse.ts';
import { UsageReader, writtenAnthropicUsage } from '../usage.ts';
import { anthropicStop, writtenStop } from './reply.ts';

const OWN = 'anthropic-messages';

export class AnthropicEventReader implements EventReader {
  readonly #parts = new ReplyParts();
  readonly #usage = new UsageReader(anthropicMessages);
  #signature = '';
  #stop: Stop | undefined;

  read(event: StreamEvent): ReplyEvent[] {
    switch (event['type']) {
      case 'message_start':
        this.#start(event);
        break;
      case 'content_block_start':
        this.#open(event['content_block']);
        break;
      case 'content_block_delta':
        this.#delta(event['delta']);
        break;
      case 'content_block_stop':
        this.#close();
        break;
      case 'message_delta':
        this.#stop = anthropicStop(stringAt(event, 'delta', 'stop_reason'), stringAt(event, 'delta', 'stop_sequence'));
        this.#usage.read(event['usage']);
        break;
      case 'message_stop':
        this.#parts.push({ event: 'end', stop: this.#stop ?? { reason: 'end' }, usage: this.#usage.usage });
        break;
      case 'error':
        this.#parts.push({ event: 'error', error: errorFrom(event['error']) });
        break;
    }
    return this.#parts.take();
  }

  end(): ReplyEvent[] {
    return [];
  }

  #start(event: StreamEvent): void {
    this.#usage.read(valueAt(event, 'message', 'usage'));
    const id = stringAt(event, 'message', 'id');
    const model = stringAt(event, 'message', 'model');
    this.#parts.push({ event: 'start', id, model, created: Math.floor(Date.now() / 1000) });
  }

  #open(block: unknown): void {
    const type = stringAt(block, 'type');
    if (type === 'text') this.#parts.begin({ kind: 'text' });
    else if (type === 'thinking' || type === 'redacted_thinking') this.#parts.begin({ kind: 'reasoning' });
    else if (type === 'tool_use') {
      this.#parts.begin({ kind: 'call', id: stringAt(block, 'id'), name: stringAt(block, 'name'), custom: false });
    } else throw new StreamFault(`content_block.type: ${type} can't be translated`);
    this.#parts.delta(stringAt(block, 'text') || stringAt(block, 'thinking'));
    this.#signature = stringAt(block, 'signature');
    if (type === 'redacted_thinking') this.#parts.close(seal('redacted', stringAt(block, 'data')));
  }

  #delta(delta: unknown): void {
    this.#signature += stringAt(delta, 'signature');
    this.#parts.delta(stringAt(delta, 'text') || stringAt(delta, 'thinking') || stringAt(delta, 'partial_json'));
  }

  #close(): void {
    const sealed = this.#parts.open?.kind === 'reasoning' && this.#signature !== '';
    this.#parts.close(sealed ? seal('signature', this.#signature) : undefined);
  }
}

function seal(form: string, data: string): Seal {
  return { by: OWN, form, data };
}

export class AnthropicEventWriter implements EventWriter {
  #index = -1;
  #part: ReplyPart | undefined;
  #refused = false;

  write(event: ReplyEvent): string {
    switch (event.event) {
      case 'start':
        return start(event);
      case 'open':
        this.#index++;
        this.#part = event.part;
        this.#refused ||= event.part.kind === 'refusal';
        return namedEvent('content_block_start', { index: this.#index, content_block: block(event.part) });
      case 'delta':
        return this.#delta(delta(this.#part, event.text));
      case 'close': {
        const signature = event.seal && { type: 'signature_delta', signature: sealText(event.seal, OWN) };
        const before = signature === undefined ? '' : this.#delta(signature);
        return before + namedEvent('content_block_stop', { index: this.#index });
      }
      case 'end': {
        const usage = writtenAnthropicUsage(event.usage);
        const ended = namedEvent('message_delta', { delta: writtenStop(event.stop, this.#refused), usage });
        return ended + namedEvent('message_stop', {});
      }
      case 'error':
        return `event: error\ndata: ${anthropicErrorText(event.error)}\n\n`;
    }
  }

  #delta(delta: { readonly [name: string]: Json }): string {
    return namedEvent('content_block_delta', { index: this.#index, delta });
  }
}

/** The usage is not known before the end, where the client is told it. */
function start({ id, model }: Extract<ReplyEvent, { event: 'start' }>): string {
  const usage = writtenAnthropicUsage(NO_USAGE);
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  return namedEvent('message_start', { message: { ...message, usage } });
}

function block(part: ReplyPart): Json {
  if (part.kind === 'reasoning') return { type: 'thinking', thinking: '', signature: '' };
  if (part.kind !== 'call') return { type: 'text', text: '' };
  return { type: 'tool_use', id: part.id, name: part.name, input: {} };
}

function delta(part: ReplyPart | undefined, text: string): { readonly [name: string]: Json } {
  if (part?.kind === 'reasoning') return { type: 'thinking_delta', thinking: text };
  return part?.kind === 'call' ? { type: 'input_json_delta', partial_json: text } : { type: 'text_delta', text };
}

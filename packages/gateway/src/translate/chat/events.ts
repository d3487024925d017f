import { openaiChat } from '../../protocols/openai-chat.ts';
import type { EventReader, EventWriter, StreamEvent } from '../codec.ts';
import type { Conversation, ReplyEvent, ReplyPart } from '../conversation.ts';
import { errorFrom, openaiErrorObject } from '../errors.ts';
import type { Json } from '../json-text.ts';
import { ReplyParts } from '../reply-parts.ts';
import { dataEvent, objectAt, StreamFault, stringAt, valueAt } from '../sse.ts';
import { UsageReader, writtenOpenaiUsage } from '../usage.ts';
import { EXTRA } from './assistant-parts.ts';
import { chatStop, finishReason } from './reply.ts';

export class ChatEventReader implements EventReader {
  readonly #parts = new ReplyParts();
  readonly #usage = new UsageReader(openaiChat);
  readonly #calls = new Set<number>();
  #call = -1;
  #callId = '';
  #begun = false;
  #thoughts = '';
  #finish = '';
  #matched = '';
  #over = false;

  read(chunk: StreamEvent): ReplyEvent[] {
    if (valueAt(chunk, 'error')) {
      this.#over = true;
      return [{ event: 'error', error: errorFrom(chunk['error']) }];
    }
    if (!this.#begun) this.#start(chunk);
    this.#usage.read(chunk['usage']);
    const choice = valueAt(chunk, 'choices', 0);
    this.#delta(valueAt(choice, 'delta'));
    this.#finish = stringAt(choice, 'finish_reason') || this.#finish;
    this.#matched = stringAt(choice, 'stop_reason') || this.#matched;
    return this.#parts.take();
  }

  /** The usage comes after the reason why the answer ended, if it comes. */
  end(): ReplyEvent[] {
    if (this.#over || this.#finish === '') return [];
    this.#over = true;
    this.#close();
    const stop = chatStop(this.#finish, this.#matched, this.#parts.called);
    this.#parts.push({ event: 'end', stop, usage: this.#usage.usage });
    return this.#parts.take();
  }

  #start(chunk: StreamEvent): void {
    this.#begun = true;
    const created = chunk['created'];
    this.#parts.push({
      event: 'start',
      id: stringAt(chunk, 'id'),
      model: stringAt(chunk, 'model'),
      created: typeof created === 'number' ? created : Math.floor(Date.now() / 1000),
    });
  }

  #delta(delta: unknown): void {
    for (const form of ['reasoning_content', 'reasoning']) {
      const text = stringAt(delta, form);
      if (text === '') continue;
      this.#thoughts = form;
      this.#say('reasoning', text);
      break;
    }
    this.#say('text', stringAt(delta, 'content'));
    this.#say('refusal', stringAt(delta, 'refusal'));
    const calls = valueAt(delta, 'tool_calls');
    if (Array.isArray(calls)) for (const call of calls) this.#called(call);
  }

  #say(kind: 'text' | 'refusal' | 'reasoning', text: string): void {
    if (text === '') return;
    if (this.#parts.open?.kind !== kind) this.#close();
    this.#parts.say(kind, text);
  }

  #close(): void {
    const thoughts = this.#parts.open?.kind === 'reasoning';
    this.#parts.close(thoughts ? { by: 'openai-chat', form: this.#thoughts, data: '' } : undefined);
  }

  /** What the server wants back with a call. */
  #extra(data: string | undefined): void {
    if (data === undefined) return;
    this.#parts.begin({ kind: 'reasoning' });
    this.#parts.close({ by: 'openai-chat', form: EXTRA, data });
  }

  /** A call is known by its index; some servers give all the same, and tell them apart by their ids. */
  #called(said: unknown): void {
    const index = valueAt(said, 'index');
    const at = typeof index === 'number' ? index : 0;
    const id = stringAt(said, 'id');
    const name = stringAt(said, 'function', 'name') || stringAt(said, 'custom', 'name');
    const other = at !== this.#call || (id !== '' && id !== this.#callId);
    if (other) {
      if (name === '') throw new StreamFault(this.#calls.has(at) ? 'tool calls are mixed' : 'a tool call has no name');
      this.#close();
      this.#calls.add(at);
      this.#call = at;
      this.#callId = id === '' ? `call_${this.#calls.size}` : id;
      this.#extra(objectAt(said, EXTRA));
      this.#parts.begin({ kind: 'call', id: this.#callId, name, custom: stringAt(said, 'type') === 'custom' });
    }
    this.#parts.delta(stringAt(said, 'function', 'arguments') || stringAt(said, 'custom', 'input'));
  }
}

export class ChatEventWriter implements EventWriter {
  readonly #usage: boolean;
  #base: { readonly [name: string]: Json } = {};
  #part: ReplyPart | undefined;
  #call = -1;

  constructor({ streamUsage }: Conversation) {
    this.#usage = streamUsage;
  }

  write(event: ReplyEvent): string {
    switch (event.event) {
      case 'start': {
        const { id, created, model } = event;
        this.#base = { id, object: 'chat.completion.chunk', created, model };
        return this.#chunk({ role: 'assistant', content: '' });
      }
      case 'open':
        this.#part = event.part;
        return event.part.kind === 'call' ? this.#open(event.part) : '';
      case 'delta':
        return this.#chunk(this.#delta(event.text));
      case 'close':
        return '';
      case 'end': {
        const usage = writtenOpenaiUsage(event.usage, 'prompt', 'completion');
        const told = this.#usage ? dataEvent({ ...this.#base, choices: [], usage }) : '';
        return `${this.#chunk({}, finishReason(event.stop))}${told}data: [DONE]\n\n`;
      }
      case 'error':
        return dataEvent({ error: openaiErrorObject(event.error) });
    }
  }

  #chunk(delta: Json, finish: string | null = null): string {
    const usage = this.#usage ? { usage: null } : {};
    return dataEvent({ ...this.#base, choices: [{ index: 0, delta, finish_reason: finish }], ...usage });
  }

  #open({ id, name, custom }: Extract<ReplyPart, { kind: 'call' }>): string {
    this.#call++;
    const inner = custom ? { custom: { name, input: '' } } : { function: { name, arguments: '' } };
    const type = custom ? 'custom' : 'function';
    return this.#chunk({ tool_calls: [{ index: this.#call, id, type, ...inner }] });
  }

  #delta(text: string): Json {
    const part = this.#part;
    if (part?.kind === 'reasoning') return { reasoning_content: text };
    if (part?.kind === 'refusal') return { refusal: text };
    if (part?.kind !== 'call') return { content: text };
    const inner = part.custom ? { custom: { input: text } } : { function: { arguments: text } };
    return { tool_calls: [{ index: this.#call, ...inner }] };
  }
}

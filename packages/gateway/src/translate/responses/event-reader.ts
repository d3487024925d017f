import { openaiResponses } from '../../protocols/openai-responses.ts';
import type { EventReader, StreamEvent } from '../codec.ts';
import type { ReplyEvent } from '../conversation.ts';
import { errorFrom } from '../errors.ts';
import { ReplyParts } from '../reply-parts.ts';
import { sealFrom } from '../seal.ts';
import { StreamFault, stringAt, valueAt } from '../sse.ts';
import { UsageReader } from '../usage.ts';
import { responsesStop } from './reply.ts';

const SAID = {
  'response.output_text.delta': 'text',
  'response.refusal.delta': 'refusal',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.reasoning_text.delta': 'reasoning',
} as const;

export class ResponsesEventReader implements EventReader {
  readonly #parts = new ReplyParts();

  read(event: StreamEvent): ReplyEvent[] {
    const type = stringAt(event, 'type');
    const said = SAID[type as keyof typeof SAID];
    if (said === undefined) this.#event(type, event);
    else this.#parts.say(said, stringAt(event, 'delta'));
    return this.#parts.take();
  }

  end(): ReplyEvent[] {
    return [];
  }

  #event(type: string, event: StreamEvent): void {
    switch (type) {
      case 'response.created':
        this.#start(event['response']);
        break;
      case 'response.output_item.added':
        this.#open(event['item']);
        break;
      case 'response.content_part.done':
        this.#parts.close();
        break;
      case 'response.reasoning_summary_part.added':
        if (!this.#parts.empty) this.#parts.delta('\n\n');
        break;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        this.#parts.delta(stringAt(event, 'delta'));
        break;
      case 'response.output_item.done':
        this.#close(event['item']);
        break;
      case 'response.completed':
      case 'response.incomplete':
        this.#end(event['response']);
        break;
      case 'response.failed':
        this.#parts.push({ event: 'error', error: errorFrom(valueAt(event, 'response', 'error')) });
        break;
      case 'error':
        this.#parts.push({ event: 'error', error: errorFrom(event['error'] ?? { ...event, type: undefined }) });
        break;
    }
  }

  #start(response: unknown): void {
    const created = valueAt(response, 'created_at');
    this.#parts.push({
      event: 'start',
      id: stringAt(response, 'id'),
      model: stringAt(response, 'model'),
      created: typeof created === 'number' ? created : Math.floor(Date.now() / 1000),
    });
  }

  #open(item: unknown): void {
    const type = stringAt(item, 'type');
    if (type === 'reasoning') this.#parts.begin({ kind: 'reasoning' });
    else if (type === 'function_call' || type === 'custom_tool_call') {
      const id = stringAt(item, 'call_id');
      const namespace = stringAt(item, 'namespace') || undefined;
      this.#parts.begin({
        kind: 'call',
        id,
        name: stringAt(item, 'name'),
        namespace,
        custom: type === 'custom_tool_call',
      });
    } else if (type !== 'message') throw new StreamFault(`item.type: ${type} can't be translated`);
  }

  /** Some servers tell a call's input at its end alone. */
  #close(item: unknown): void {
    const { open, empty } = this.#parts;
    if (open?.kind === 'call' && empty) this.#parts.delta(stringAt(item, 'arguments') || stringAt(item, 'input'));
    const seal = open?.kind === 'reasoning' ? stringAt(item, 'encrypted_content') : undefined;
    this.#parts.close(sealFrom(seal, 'openai-responses', 'encrypted'));
  }

  #end(response: unknown): void {
    const usage = new UsageReader(openaiResponses);
    usage.read(valueAt(response, 'usage'));
    this.#parts.close();
    const why = stringAt(response, 'incomplete_details', 'reason') || undefined;
    this.#parts.push({ event: 'end', stop: responsesStop(why, this.#parts.called), usage: usage.usage });
  }
}

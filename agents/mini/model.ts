import { setTimeout as delay } from 'node:timers/promises';
import { modelEndpoint } from '@ssebench/sdk/model/endpoint';

/** A failed call is tried again after these, in milliseconds. The gateway has tried for some time before it fails one. */
const DELAYS = [2_000, 4_000, 8_000, 16_000];
/** Asked of every model, so that all think equally hard. */
const THINKING = { reasoning: { effort: 'high', summary: 'auto' }, include: ['reasoning.encrypted_content'] };

/** An item of the protocol, as far as it is looked into: what the model says goes back to it as it came. */
export interface Item {
  type: string;
  role?: string;
  content?: string | { text?: string }[];
  summary?: { text: string }[];
  call_id?: string;
  name?: string;
  arguments?: string;
  output?: string;
}

export interface Answer {
  items: Item[];
  thoughts: string;
  text: string;
  /** An input that is no object is empty. */
  calls: { id: string; name: string; input: Record<string, unknown> }[];
  /** It ended at the output limit. */
  cut: boolean;
  tokens: { in: number; out: number };
}

export class ConversationTooLong extends Error {}
/** A call that may go well another time. */
class Passing extends Error {}

/**
 * The run's model over OpenAI's Responses protocol. Of those that the gateway translates it is the one that brings the
 * thoughts of every provider's models back to them, and in which the gateway sees to caching.
 */
export class Model {
  readonly name: string;
  readonly #endpoint = modelEndpoint('openai');
  readonly #fixed: object;
  #thinking: object = THINKING;

  constructor(instructions: string, tools: readonly object[]) {
    this.name = this.#endpoint.model;
    // Streamed, because a connection on which nothing comes for minutes is given up.
    this.#fixed = { model: this.name, instructions, tools, stream: true, store: false };
  }

  /** @throws ConversationTooLong, or Error with what the endpoint said last */
  async answer(conversation: readonly Item[], signal: AbortSignal): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#call({ ...this.#fixed, ...this.#thinking, input: conversation }, signal);
      } catch (error) {
        signal.throwIfAborted();
        const wait = DELAYS[attempt];
        if (!(error instanceof Passing) || wait === undefined) throw error;
        console.error(`mini: ${error.message}; trying again`);
        await delay(wait, undefined, { signal });
      }
    }
  }

  async #call(body: object, signal: AbortSignal): Promise<Answer> {
    const { status, text } = await this.#post(JSON.stringify(body), signal);
    if (status === 200) return lastEvent(text);
    const words = `the model's endpoint answered with status ${status}: ${text.slice(0, 1000)}`;
    if ([408, 409, 429].includes(status) || status >= 500) throw new Passing(words);
    // A model that does not think refuses to be asked to.
    if (this.#thinking === THINKING && /reasoning|encrypted_content/.test(text)) {
      this.#thinking = {};
      throw new Passing(words);
    }
    throw /context|too long|too many tokens/i.test(text) ? new ConversationTooLong(words) : new Error(words);
  }

  async #post(body: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const { baseUrl, apiKey } = this.#endpoint;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
    try {
      const response = await fetch(`${baseUrl}/responses`, { method: 'POST', headers, body, signal });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new Passing(`the connection to the model's endpoint broke: ${String((error as Error).cause ?? error)}`);
    }
  }
}

/** A stream's last event repeats the whole answer. */
function lastEvent(stream: string): Answer {
  const ends = /^data: (\{.*"type":"response\.(?:completed|incomplete|failed)".*\})\s*$/;
  const data = stream.split('\n').findLast((line) => ends.test(line));
  if (data === undefined) throw new Passing('the answer broke off');
  const { type, response } = JSON.parse(data.slice('data: '.length));
  if (type === 'response.failed') throw new Passing(`the model failed: ${response.error?.message}`);
  const items: Item[] = response.output;
  const contents = items.flatMap(({ type, content }) => (type === 'message' && Array.isArray(content) ? content : []));
  return {
    items,
    thoughts: items.flatMap(({ summary = [] }) => summary.map(({ text }) => text)).join('\n'),
    text: contents.map(({ text = '' }) => text).join('\n'),
    calls: items
      .filter(({ type }) => type === 'function_call')
      .map((item) => ({ id: item.call_id ?? '', name: item.name ?? '', input: parsed(item.arguments) })),
    cut: type === 'response.incomplete',
    tokens: { in: response.usage?.input_tokens ?? 0, out: response.usage?.output_tokens ?? 0 },
  };
}

function parsed(text = ''): Record<string, unknown> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

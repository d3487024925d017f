import { createHash } from 'node:crypto';
import type { ProtocolName } from '../server/ports.ts';
import type { Call, Conversation, ReplyEvent, Tool, Turn } from './conversation.ts';
import { jsonText } from './json-text.ts';

/** The longest name of a tool. */
const LONGEST: Readonly<Record<ProtocolName, number>> = {
  'anthropic-messages': 128,
  'openai-chat': 64,
  'openai-responses': 64,
  gemini: 64,
};

const TEXT_INPUT = '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}';

type Named = Pick<Tool, 'name' | 'namespace'>;

/**
 * The tools of one call as the provider's protocol can name them: without namespaces, with shorter names, and those that
 * take free text as functions with one string. What the model calls is told to the client under its own names again.
 */
export class ToolNames {
  readonly #protocol: ProtocolName;
  readonly #tools = new Map<string, Tool>();

  constructor(tools: readonly Tool[], provider: ProtocolName) {
    this.#protocol = provider;
    for (const tool of tools) this.#tools.set(this.#name(tool), tool);
  }

  get #native(): boolean {
    return this.#protocol === 'openai-responses';
  }

  #name({ name, namespace }: Named): string {
    const full = namespace === undefined || this.#native ? name : `${namespace}__${name}`;
    const longest = LONGEST[this.#protocol];
    if (full.length <= longest) return full;
    const hash = createHash('sha256').update(full).digest('hex').slice(0, 8);
    return `${full.slice(0, longest - hash.length - 1)}_${hash}`;
  }

  lower(conversation: Conversation): Conversation {
    const { settings } = conversation;
    const choice = settings.toolChoice;
    const toolChoice = typeof choice === 'object' ? { ...choice, ...this.#named(choice) } : choice;
    return {
      ...conversation,
      tools: conversation.tools.map((tool) => this.#tool(tool)),
      turns: conversation.turns.map((turn) => this.#turn(turn)),
      settings: { ...settings, toolChoice },
    };
  }

  #named(named: Named): Named {
    return { name: this.#name(named), namespace: this.#native ? named.namespace : undefined };
  }

  #tool(tool: Tool): Tool {
    const named = { ...tool, ...this.#named(tool) };
    if (!tool.custom || this.#native) return named;
    const { grammar } = tool.custom;
    const format = grammar === undefined ? [] : [`The input has this format: ${grammarText(grammar)}`];
    const description = [tool.description, ...format].filter((text) => text !== undefined).join('\n\n');
    return { ...named, custom: false, description: description || undefined, schema: TEXT_INPUT };
  }

  #turn(turn: Turn): Turn {
    if (turn.role !== 'assistant') return turn;
    return { role: 'assistant', content: turn.content.map((part) => (part.kind === 'call' ? this.#call(part) : part)) };
  }

  #call(call: Call): Call {
    const named = { ...call, ...this.#named(call) };
    if (!call.custom || this.#native) return named;
    return { ...named, custom: false, input: jsonText({ input: call.input }) };
  }

  /** The client's tool that the model calls so; undefined: there is none of that name. */
  #found({ name, namespace }: Named): Tool | undefined {
    const tool = this.#tools.get(name);
    return tool !== undefined && (!this.#native || tool.namespace === namespace) ? tool : undefined;
  }

  raise(call: Call): Call {
    const tool = this.#found(call);
    if (tool === undefined) return call;
    const named = { ...call, name: tool.name, namespace: tool.namespace };
    if (!tool.custom || call.custom) return named;
    return { ...named, custom: true, input: freeText(call.input) };
  }

  /** The same for a stream. The input of a tool that takes free text is told in one piece. */
  raiseStream(): (event: ReplyEvent) => ReplyEvent[] {
    let held: string | undefined;
    return (event) => {
      if (event.event === 'open' && event.part.kind === 'call') {
        const part = event.part;
        const { input, ...raised } = this.raise({ ...part, input: '' });
        if (raised.custom && !part.custom) held = input;
        return [{ event: 'open', part: raised }];
      }
      if (held === undefined) return [event];
      if (event.event === 'delta') {
        held += event.text;
        return [];
      }
      const text = freeText(held);
      if (event.event === 'close') held = undefined;
      return event.event === 'close' && text !== '' ? [{ event: 'delta', text }, event] : [event];
    };
  }
}

function grammarText(grammar: string): string {
  const { definition } = JSON.parse(grammar) as { definition?: unknown };
  return typeof definition === 'string' ? definition : grammar;
}

/** What the only string of such a function's input is; as it stands when the model did not keep to it. */
function freeText(input: string): string {
  try {
    const text = (JSON.parse(input) as { input?: unknown } | null)?.input;
    return typeof text === 'string' ? text : input;
  } catch {
    return input;
  }
}

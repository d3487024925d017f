import { countOf, type JsonObject, objectOf, objectsOf, textOf } from '@ssebench/sdk/agent/loose-json';
import type { ProgramSession } from '@ssebench/sdk/agent/record-program';
import type { ProgramEnd } from '@ssebench/sdk/agent/run-program';
import { sessionOutcome } from '@ssebench/sdk/agent/session-outcome';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';

interface Tokens {
  in: number;
  out: number;
}

/** A message that is waited for: how many tokens it cost is only told behind its last block. */
interface Held {
  readonly id: string;
  readonly entry: Extract<DialogInput, { type: 'message' }>;
  readonly following: DialogInput[];
}

/**
 * What Claude Code prints with `--output-format stream-json --include-partial-messages`, as entries of the dialog. Order is
 * kept. An answer is a turn, of a subagent, too; the input of its tokens counts what was read from a cache or written to one.
 */
export class ClaudeSession implements ProgramSession {
  /** Answers that were streamed, so that their final usage will come, and whose they are; by message ID. */
  readonly #streamed = new Map<string, string>();
  readonly #usage = new Map<string, Tokens>();
  /** Answers of which there was something, whole or not. */
  readonly #answers = new Set<string>();
  #held: Held | undefined;
  #result: JsonObject | undefined;

  /** The entries that a line of output is worth. @throws SyntaxError when it is not JSON */
  add(line: string): DialogInput[] {
    const event = objectOf(JSON.parse(line));
    switch (event['type']) {
      case 'stream_event':
        return this.#addPart(event);
      case 'assistant':
        return this.#addAnswer(event);
      case 'user':
        return this.#inOrder(resultsOf(event));
      case 'result':
        this.#result = event;
        return this.#release();
      default:
        return [];
    }
  }

  /** What is left when the program has ended, with the end of the dialog. */
  finish(end: ProgramEnd): DialogInput[] {
    const failed = this.#result === undefined || this.#result['is_error'] === true;
    const outcome = sessionOutcome(end, { failed, failure: textOf(this.#result?.['result']) });
    return [
      ...this.#release(),
      { type: 'complete', ...outcome, turns: this.#answers.size, total_tokens: this.#total() },
    ];
  }

  #addPart(event: JsonObject): DialogInput[] {
    const part = objectOf(event['event']);
    if (part['type'] === 'message_start') {
      const message = objectOf(part['message']);
      const owner = textOf(event['parent_tool_use_id']);
      const broken = this.#held && this.#streamed.get(this.#held.id) === owner ? this.#release() : [];
      this.#streamed.set(textOf(message['id']), owner);
      this.#count(textOf(message['id']), message['usage']);
      return broken;
    }
    if (part['type'] !== 'message_delta') return [];
    const id = textOf(event['api_message_id']);
    this.#count(id, part['usage']);
    return this.#held?.id === id ? this.#release() : [];
  }

  #addAnswer(event: JsonObject): DialogInput[] {
    const message = objectOf(event['message']);
    const id = textOf(message['id']);
    if (message['model'] !== SYNTHETIC) {
      this.#answers.add(id);
      this.#count(id, message['usage']);
    }
    const entries = objectsOf(message['content']).flatMap((block) => entriesOf(block, whose(event)));
    const first = entries.find((entry) => entry.type === 'message');
    if (this.#held || !first || !this.#streamed.has(id)) return this.#inOrder(entries);
    const at = entries.indexOf(first);
    this.#held = { id, entry: first, following: entries.slice(at + 1) };
    return entries.slice(0, at);
  }

  /** Usage is told more than once, and each time of all so far; its end need not repeat the input. */
  #count(id: string, usage: unknown): void {
    const told = tokensOf(usage, OF_AN_ANSWER);
    const before = this.#usage.get(id) ?? { in: 0, out: 0 };
    this.#usage.set(id, { in: Math.max(before.in, told.in), out: Math.max(before.out, told.out) });
  }

  /** Nothing comes before a message that is waited for. */
  #inOrder(entries: DialogInput[]): DialogInput[] {
    if (!this.#held) return entries;
    this.#held.following.push(...entries);
    return [];
  }

  #release(): DialogInput[] {
    if (!this.#held) return [];
    const { id, entry, following } = this.#held;
    this.#held = undefined;
    const tokens = this.#usage.get(id);
    return [tokens ? { ...entry, tokens } : entry, ...following];
  }

  /** Of what was seen, or of all calls as the program counted them in its end: what it asks beside its session is in that. */
  #total(): Tokens {
    const seen = [...this.#usage].filter(([id]) => this.#answers.has(id)).map(([, tokens]) => tokens);
    const told = Object.values(objectOf(this.#result?.['modelUsage'])).map((usage) => tokensOf(usage, OF_ALL));
    const sum = (key: keyof Tokens, of: Tokens[]) => of.reduce((total, tokens) => total + tokens[key], 0);
    return { in: Math.max(sum('in', seen), sum('in', told)), out: Math.max(sum('out', seen), sum('out', told)) };
  }
}

/** What the program says itself, in the model's place, when a call failed. */
const SYNTHETIC = '<synthetic>';

function entriesOf(block: JsonObject, subagent: string): DialogInput[] {
  switch (block['type']) {
    case 'thinking':
      return content('thinking', subagent, textOf(block['thinking']));
    case 'redacted_thinking':
      return content('thinking', subagent, '(hidden by the provider)');
    case 'text':
      return content('message', subagent, textOf(block['text']));
    case 'tool_use':
      return [
        {
          type: 'tool',
          tool_id: textOf(block['id']),
          name: textOf(block['name']),
          status: 'running',
          args: { ...objectOf(block['input']) },
        },
      ];
    default:
      return [];
  }
}

function content(type: 'thinking' | 'message', subagent: string, text: string): DialogInput[] {
  return text === '' ? [] : [{ type, content: subagent === '' ? text : `[${subagent}] ${text}` }];
}

/** Empty for the session's own. */
function whose(event: JsonObject): string {
  if (!event['parent_tool_use_id']) return '';
  return [event['subagent_type'], event['task_description']].map(textOf).filter(Boolean).join(': ') || 'subagent';
}

function resultsOf(event: JsonObject): DialogInput[] {
  return objectsOf(objectOf(event['message'])['content'])
    .filter(({ type }) => type === 'tool_result')
    .map((block) => {
      const tool = { type: 'tool', tool_id: textOf(block['tool_use_id']) } as const;
      const said = saidBy(block['content']);
      return block['is_error'] === true
        ? { ...tool, status: 'error', error: said }
        : { ...tool, status: 'success', result: said };
    });
}

/** The text of a tool's result; what is no text is named. */
function saidBy(result: unknown): string {
  if (!Array.isArray(result)) return textOf(result);
  return objectsOf(result)
    .map(({ type, text }) => (type === 'text' ? textOf(text) : `[${textOf(type)}]`))
    .join('\n');
}

/** Input of every kind, and output, by the names that they have at this place. */
function tokensOf(usage: unknown, names: { in: readonly string[]; out: string }): Tokens {
  const told = objectOf(usage);
  return { in: names.in.reduce((sum, name) => sum + countOf(told[name]), 0), out: countOf(told[names.out]) };
}

const OF_AN_ANSWER = {
  in: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  out: 'output_tokens',
};
const OF_ALL = { in: ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'], out: 'outputTokens' };

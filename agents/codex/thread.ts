import { countOf, type JsonObject, objectOf, objectsOf, textOf } from '@ssebench/sdk/agent/loose-json';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';
import { doneBy } from './done.ts';

/**
 * One thread of Codex, the session's own or a subagent's, from the lines of its rollout. What an answer consists of is held
 * until its tokens are known: they are written behind it.
 */
export class CodexThread {
  /** Of the model. */
  answers = 0;
  /** Of all of them; the input counts what a cache held. */
  readonly tokens = { in: 0, out: 0 };
  /** A subagent's name; empty for the session's own thread. */
  #name = '';
  #held: DialogInput[] = [];
  /** Calls of the model; others are made by a script of its. */
  readonly #called = new Set<string>();
  /** Calls that Codex says have failed, before their results come. */
  readonly #failed = new Set<string>();

  /** The entries that a line completes. @throws SyntaxError when it is not JSON */
  add(line: string): DialogInput[] {
    const record = objectOf(JSON.parse(line));
    const payload = objectOf(record['payload']);
    switch (record['type']) {
      case 'session_meta':
        this.#name = textOf(payload['agent_nickname']);
        return [];
      case 'response_item':
        return this.#addItem(payload);
      case 'token_usage_record':
        return this.#addAnswer(objectOf(payload['usage']));
      case 'compacted':
        return [...this.release(), ...this.#said('thinking', `[compacted] ${textOf(payload['message'])}`)];
      case 'event_msg':
        return this.#addEvent(payload);
      default:
        return [];
    }
  }

  /** What is held: of an answer that was cut, or that nobody counted. */
  release(): DialogInput[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  #addItem(item: JsonObject): DialogInput[] {
    const type = textOf(item['type']);
    if (type.endsWith('_output')) return [...this.release(), this.#resultOf(item)];
    if (type.endsWith('_call')) this.#addCall(callOf(item, type));
    if (type === 'reasoning') this.#held.push(...this.#said('thinking', thoughtsOf(item)));
    if (type === 'message' && item['role'] === 'assistant')
      this.#held.push(...this.#said('message', outputText(item['content'])));
    return [];
  }

  #addCall(call: DialogTool): void {
    this.#called.add(call.tool_id);
    this.#held.push(call);
  }

  #addAnswer(usage: JsonObject): DialogInput[] {
    const tokens = { in: countOf(usage['input_tokens']), out: countOf(usage['output_tokens']) };
    this.answers += 1;
    this.tokens.in += tokens.in;
    this.tokens.out += tokens.out;
    const first = this.#held.find((entry) => entry.type === 'message');
    return this.release().map((entry) => (entry === first ? { ...first, tokens } : entry));
  }

  #addEvent(event: JsonObject): DialogInput[] {
    if (event['type'] === 'task_complete' || event['type'] === 'turn_aborted') return this.release();
    const item = objectOf(event['item']);
    const id = textOf(item['id']);
    if (id !== '' && !this.#called.has(id)) return this.#scripted(item);
    if (item['status'] === 'failed' || item['status'] === 'declined') this.#failed.add(id);
    return [];
  }

  /** What a script of the model's did: it has no call and no result of its own. */
  #scripted(item: JsonObject): DialogInput[] {
    const done = doneBy(item);
    return done ? [...this.release(), ...done] : [];
  }

  #resultOf(item: JsonObject): DialogInput {
    const id = textOf(item['call_id']);
    const text = outputText(item['output'] ?? item['tools']);
    const tool = { type: 'tool', tool_id: id } as const;
    return this.#failed.has(id) || REFUSED.test(text)
      ? { ...tool, status: 'error', error: text }
      : { ...tool, status: 'success', result: text };
  }

  #said(type: 'message' | 'thinking', text: string): DialogInput[] {
    if (text === '') return [];
    return [{ type, content: this.#name === '' ? text : `[${this.#name}] ${text}` }];
  }
}

/** How Codex words that it could not do what was asked; nothing else tells of that. */
const REFUSED = /^(\w+ failed: |unsupported (custom tool )?call: |unable to locate )/;

type DialogTool = Extract<DialogInput, { type: 'tool' }>;

function callOf(item: JsonObject, type: string): DialogTool {
  const name = [item['namespace'], item['name'] ?? type].map(textOf).filter(Boolean).join('__');
  const args = item['arguments'] ?? item['input'] ?? item['action'];
  const id = textOf(item['call_id'] ?? item['id']);
  return { type: 'tool', tool_id: id, name, status: 'running', args: argsOf(args) };
}

/** Arguments are JSON in a string; a tool that takes free text has that. */
function argsOf(args: unknown): Record<string, unknown> {
  if (typeof args !== 'string') return { ...objectOf(args) };
  try {
    const parsed: unknown = JSON.parse(args);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { input: args };
}

/** Summaries, or where the model gives them, the thoughts themselves. */
function thoughtsOf(item: JsonObject): string {
  const summary = objectsOf(item['summary']).map(({ text }) => textOf(text));
  const thoughts = objectsOf(item['content']).map(({ text }) => textOf(text));
  return (summary.length > 0 ? summary : thoughts).join('\n\n');
}

/** A text, or the texts of parts; what is no text is named. */
function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  return objectsOf(output)
    .map(({ type, text }) => (typeof text === 'string' ? text : `[${textOf(type)}]`))
    .join('\n');
}

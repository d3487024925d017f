import { countOf, type JsonObject, objectOf, objectsOf, textOf } from '@ssebench/sdk/agent/loose-json';
import type { ProgramSession } from '@ssebench/sdk/agent/record-program';
import type { ProgramEnd } from '@ssebench/sdk/agent/run-program';
import type { SessionLine } from '@ssebench/sdk/agent/session-files';
import { sessionOutcome } from '@ssebench/sdk/agent/session-outcome';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';

type Tool = Extract<DialogInput, { type: 'tool' }>;

/**
 * Gemini CLI's session as entries of the dialog. What it prints (`--output-format stream-json`) says when a tool starts and how
 * all ends; its chat files have the rest: thoughts, tokens, whole results, and what subagents do. An answer is a turn; the
 * input of its tokens counts what was read from a cache, the output the thoughts.
 */
export class GeminiSession implements ProgramSession {
  readonly #readChats: () => readonly SessionLine[];
  /** Answers by their ID, with their tokens; a record is written again when there is more of it. */
  readonly #answers = new Map<string, { in: number; out: number }>();
  readonly #started = new Set<string>();
  readonly #ended = new Set<string>();
  /** Answers of the session's own, as the output has them and as the chat file has. */
  #printed = 0;
  #recorded = 0;
  #answering = false;
  /** Of the answer that is not recorded yet: what it said, and the tools that it started. */
  #said = '';
  #starts: Tool[] = [];
  /** Ends as they were printed, in case that there is no record of them. */
  #ends: Tool[] = [];
  #failure: string | undefined;
  #result: JsonObject | undefined;

  constructor(readChats: () => readonly SessionLine[]) {
    this.#readChats = readChats;
  }

  add(line: string): DialogInput[] {
    const event = objectOf(JSON.parse(line));
    return [...this.poll(), ...this.#addEvent(event)];
  }

  poll(): DialogInput[] {
    const records = this.#readChats().map(({ file, line }) => ({ file, record: objectOf(parsed(line)) }));
    const inOrder = records.toSorted((a, b) => timeOf(a.record) - timeOf(b.record));
    return inOrder.flatMap(({ file, record }) => this.#addRecord(record, file));
  }

  finish(end: ProgramEnd): DialogInput[] {
    const last = [...this.poll(), ...this.#rest()];
    const failed = this.#result?.['status'] !== 'success';
    const seen = [...this.#answers.values()];
    const sum = (key: 'in' | 'out') => seen.reduce((total, tokens) => total + tokens[key], 0);
    const stats = objectOf(this.#result?.['stats']);
    const [allIn, all] = [countOf(stats['input_tokens']), countOf(stats['total_tokens'])];
    const total_tokens = { in: Math.max(sum('in'), allIn), out: Math.max(sum('out'), all - allIn) };
    const failure = textOf(objectOf(this.#result?.['error'])['message']) || this.#failure;
    const outcome = sessionOutcome(end, { failed, failure });
    return [...last, { type: 'complete', ...outcome, turns: this.#answers.size, total_tokens }];
  }

  #addEvent(event: JsonObject): DialogInput[] {
    switch (event['type']) {
      case 'message':
        if (event['role'] !== 'assistant') return [];
        return [...this.#begin(), ...this.#addSaid(textOf(event['content']))];
      case 'tool_use':
        return [...this.#begin(), ...this.#addStart(event)];
      case 'tool_result':
        this.#answering = false;
        this.#ends.push(endPrinted(event));
        return [];
      case 'error':
        this.#failure = textOf(event['message']);
        return [];
      case 'result':
        this.#result = event;
        return [];
      default:
        return [];
    }
  }

  /** Another answer: what is not recorded of the one before will not be any more. */
  #begin(): DialogInput[] {
    if (this.#answering) return [];
    this.#answering = true;
    this.#printed += 1;
    return this.#recorded < this.#printed - 1 || this.#ends.length > 0 ? this.#rest() : [];
  }

  #addSaid(text: string): DialogInput[] {
    if (this.#recorded < this.#printed) this.#said += text;
    return [];
  }

  /** A tool's start follows what was said and thought before it, which only its record has. */
  #addStart(event: JsonObject): DialogInput[] {
    const start: Tool = {
      type: 'tool',
      tool_id: textOf(event['tool_id']),
      name: textOf(event['tool_name']),
      status: 'running',
      args: { ...objectOf(event['parameters']) },
    };
    this.#starts.push(start);
    return this.#recorded < this.#printed ? [] : this.#release();
  }

  #release(): DialogInput[] {
    const starts = this.#starts.filter(({ tool_id: id }) => !this.#started.has(id));
    this.#starts = [];
    for (const { tool_id: id } of starts) this.#started.add(id);
    return starts;
  }

  /** What was printed and not recorded. */
  #rest(): DialogInput[] {
    const said: DialogInput[] = this.#said === '' ? [] : [{ type: 'message', content: this.#said }];
    const ends = this.#ends.filter(({ tool_id: id }) => !this.#ended.has(id));
    for (const { tool_id: id } of ends) this.#ended.add(id);
    this.#said = '';
    this.#ends = [];
    return [...said, ...this.#release(), ...ends];
  }

  #addRecord(record: JsonObject, file: string): DialogInput[] {
    if (record['type'] !== 'gemini') return [];
    const own = OWN_FILE.test(file);
    const id = `${file} ${textOf(record['id'])}`;
    const isNew = !this.#answers.has(id);
    const tokens = tokensOf(record['tokens']);
    this.#answers.set(id, tokens);
    if (isNew && own) this.#recorded = Math.max(this.#recorded + 1, this.#printed);
    if (isNew && own) this.#said = '';
    const said = isNew ? saidIn(record, own) : [];
    return [
      ...said,
      ...(own ? this.#release() : []),
      ...objectsOf(record['toolCalls']).flatMap((call) => this.#addCall(call)),
    ];
  }

  #addCall(call: JsonObject): DialogInput[] {
    const id = textOf(call['id']);
    const start: Tool[] = this.#started.has(id) ? [] : [startRecorded(call)];
    this.#started.add(id);
    if (!ENDED.has(textOf(call['status'])) || this.#ended.has(id)) return start;
    this.#ended.add(id);
    return [...start, endRecorded(call)];
  }
}

/** The session's own; a subagent's is named after it, in a directory that is named after the session. */
const OWN_FILE = /(^|\/)session-[^/]*$/;

const ENDED: ReadonlySet<string> = new Set(['success', 'error', 'cancelled']);

/** A line that a program wrote while it was killed is none. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** When it was written: that of its last tool's end, where it was written again for that. 0 when it does not say. */
function timeOf(record: JsonObject): number {
  const times = [record, ...objectsOf(record['toolCalls'])].map(({ timestamp }) => Date.parse(textOf(timestamp)) || 0);
  return Math.max(...times);
}

function saidIn(record: JsonObject, own: boolean): DialogInput[] {
  const marked = (text: string) => (own ? text : `[subagent] ${text}`);
  const thoughts = thoughtsOf(record['thoughts']).map(
    (text): DialogInput => ({ type: 'thinking', content: marked(text) }),
  );
  const text = contentOf(record['content']);
  const tokens = tokensOf(record['tokens']);
  return text === '' ? thoughts : [...thoughts, { type: 'message', content: marked(text), tokens }];
}

/** A thought has a subject; what has none goes on with the one before. */
function thoughtsOf(thoughts: unknown): string[] {
  const texts: string[] = [];
  for (const { subject, description } of objectsOf(thoughts)) {
    const text = [textOf(subject), textOf(description)].filter(Boolean).join('\n');
    if (textOf(subject) === '' && texts.length > 0) texts.push(texts.pop() + text);
    else if (text !== '') texts.push(text);
  }
  return texts;
}

/** A text, or parts of one. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map(({ text }) => textOf(text))
    .join('');
}

function tokensOf(tokens: unknown): { in: number; out: number } {
  const told = objectOf(tokens);
  return {
    in: countOf(told['input']) + countOf(told['tool']),
    out: countOf(told['output']) + countOf(told['thoughts']),
  };
}

function startRecorded(call: JsonObject): Tool {
  const args = { ...objectOf(call['args']) };
  return { type: 'tool', tool_id: textOf(call['id']), name: textOf(call['name']), status: 'running', args };
}

function endRecorded(call: JsonObject): Tool {
  const responses = objectsOf(call['result']).map((part) => objectOf(objectOf(part['functionResponse'])['response']));
  const said = responses
    .map(({ output, error }) => textOf(output) || textOf(error))
    .filter(Boolean)
    .join('\n');
  return ended(textOf(call['id']), call['status'] === 'success', said || textOf(call['resultDisplay']));
}

function endPrinted(event: JsonObject): Tool {
  const said = textOf(objectOf(event['error'])['message']) || textOf(event['output']);
  return ended(textOf(event['tool_id']), event['status'] === 'success', said);
}

function ended(tool_id: string, passed: boolean, said: string): Tool {
  return passed
    ? { type: 'tool', tool_id, status: 'success', result: said }
    : { type: 'tool', tool_id, status: 'error', error: said };
}

import { countOf, type JsonObject, objectOf, textOf } from '@ssebench/sdk/agent/loose-json';
import type { ProgramSession } from '@ssebench/sdk/agent/record-program';
import type { ProgramEnd } from '@ssebench/sdk/agent/run-program';
import { sessionOutcome } from '@ssebench/sdk/agent/session-outcome';
import type { DialogInput } from '@ssebench/sdk/dialog/dialog-input';
import type { StoredPart } from './store.ts';
import { toolEntries } from './tool.ts';

/**
 * A session of OpenCode as entries of the dialog. What it did is taken from its database: `opencode run --format json` prints
 * neither tools before they end nor what subagents do. The output says what went wrong. A step of the model's is a turn,
 * those of subagents included. Its tokens are told when its tools have ended, and their input counts what a cache held.
 */
export class OpencodeSession implements ProgramSession {
  readonly #changed: () => readonly StoredPart[];
  /** How far each part is written; by ID. */
  readonly #written = new Map<string, 'started' | 'done'>();
  /** Parts that are not complete, as they were last. */
  readonly #open = new Map<string, StoredPart>();
  /** By message: a text that its tokens may follow. */
  readonly #held = new Map<string, Extract<DialogInput, { type: 'message' }>>();
  readonly #tokens = { in: 0, out: 0 };
  #turns = 0;
  #failure = '';

  /** @param changed the parts that were added or changed since it was last asked */
  constructor(changed: () => readonly StoredPart[]) {
    this.#changed = changed;
  }

  /** @throws SyntaxError when the line is not JSON */
  add(line: string): DialogInput[] {
    const event = objectOf(JSON.parse(line));
    const error = objectOf(event['error']);
    if (event['type'] === 'error') this.#failure = textOf(objectOf(error['data'])['message']) || textOf(error['name']);
    return this.poll();
  }

  poll(): DialogInput[] {
    return this.#changed().flatMap((part) => this.#addPart(part, false));
  }

  finish(end: ProgramEnd): DialogInput[] {
    const entries = this.poll();
    const unfinished = [...this.#open.values()].flatMap((part) => this.#addPart(part, true));
    return [
      ...entries,
      ...unfinished,
      ...this.#held.values(),
      {
        type: 'complete',
        ...sessionOutcome(end, { failed: this.#failure !== '', failure: this.#failure }),
        turns: this.#turns,
        total_tokens: { ...this.#tokens },
      },
    ];
  }

  /** @param last nothing more will come of a part that is not complete */
  #addPart(stored: StoredPart, last: boolean): DialogInput[] {
    const { id } = stored;
    if (this.#written.get(id) === 'done') return [];
    const entries = this.#entriesOf(stored, last);
    if (this.#written.get(id) === 'done') this.#open.delete(id);
    else this.#open.set(id, stored);
    return entries;
  }

  #entriesOf({ id, message, subagent, data }: StoredPart, last: boolean): DialogInput[] {
    const part = objectOf(JSON.parse(data));
    const isEnded = last || objectOf(part['time'])['end'] !== undefined;
    switch (part['type']) {
      case 'text':
      case 'reasoning': {
        if (!isEnded) return [];
        this.#written.set(id, 'done');
        return this.#addText(part, message, subagent);
      }
      case 'tool': {
        const { entries, state } = toolEntries(part, id, this.#written.get(id) === 'started', last);
        if (state) this.#written.set(id, state);
        return entries.length > 0 ? [...this.#release(message), ...entries] : [];
      }
      case 'step-finish':
        this.#written.set(id, 'done');
        return this.#addTokens(part, message);
      default:
        this.#written.set(id, 'done');
        if (part['type'] === 'step-start') this.#turns += 1;
        return [];
    }
  }

  #addText(part: JsonObject, message: string, subagent: string): DialogInput[] {
    const before = this.#release(message);
    const text = textOf(part['text']);
    if (text.trim() === '') return before;
    const content = subagent === '' ? text : `[${subagent}] ${text}`;
    if (part['type'] === 'reasoning') return [...before, { type: 'thinking', content }];
    this.#held.set(message, { type: 'message', content });
    return before;
  }

  #addTokens(part: JsonObject, message: string): DialogInput[] {
    const told = objectOf(part['tokens']);
    const cache = objectOf(told['cache']);
    const tokens = {
      in: countOf(told['input']) + countOf(cache['read']) + countOf(cache['write']),
      out: countOf(told['output']) + countOf(told['reasoning']),
    };
    this.#tokens.in += tokens.in;
    this.#tokens.out += tokens.out;
    return this.#release(message).map((entry) => ({ ...entry, tokens }));
  }

  #release(message: string): Extract<DialogInput, { type: 'message' }>[] {
    const held = this.#held.get(message);
    this.#held.delete(message);
    return held ? [held] : [];
  }
}

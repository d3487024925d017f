import type { ReplyEvent, ReplyPart, Seal } from './conversation.ts';

/** The parts of an answer one after another, as events: what opens a part closes the one before. */
export class ReplyParts {
  #events: ReplyEvent[] = [];
  #open: ReplyPart | undefined;
  #empty = true;
  /** Whether there was a tool call. */
  called = false;

  get open(): ReplyPart | undefined {
    return this.#open;
  }

  /** Whether nothing was said in the part that is open. */
  get empty(): boolean {
    return this.#empty;
  }

  /** The events since the last time. */
  take(): ReplyEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  push(event: ReplyEvent): void {
    this.#events.push(event);
  }

  begin(part: ReplyPart): void {
    this.close();
    this.#open = part;
    this.#empty = true;
    if (part.kind === 'call') this.called = true;
    this.#events.push({ event: 'open', part });
  }

  /** More of the part that is open. */
  delta(text: string): void {
    if (text === '' || this.#open === undefined) return;
    this.#empty = false;
    this.#events.push({ event: 'delta', text });
  }

  /** More of a part of this kind, which begins if another is open. */
  say(kind: 'text' | 'refusal' | 'reasoning', text: string): void {
    if (text === '') return;
    if (this.#open?.kind !== kind) this.begin({ kind });
    this.delta(text);
  }

  close(seal?: Seal): void {
    const part = this.#open;
    if (part === undefined) return;
    // A function without arguments is called with an empty object.
    if (part.kind === 'call' && !part.custom && this.#empty) this.delta('{}');
    this.#open = undefined;
    this.#events.push(seal === undefined ? { event: 'close' } : { event: 'close', seal });
  }
}

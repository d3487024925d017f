import type { MemberReader } from '../json/member-reader.ts';

const NEWLINE = 0x0a;
const CR = 0x0d;
/** What a stream may begin with, and means nothing. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const DATA = Buffer.from('data:');
/** An event of which more is held back goes on to the client in pieces. */
const MAX_HELD = 256 * 1024;

/** What is to be done with an event that is over. */
export type OnEvent = () => 'pass' | 'withhold';

/**
 * Reads a stream of server-sent events as it passes, without keeping it: the JSON of every event goes through a
 * `MemberReader`, and the bytes come out again in whole events, so that an error event can follow at any time and a single
 * event can be left out. Lines end with LF or CRLF.
 */
export class SseFilter {
  readonly #reader: MemberReader;
  readonly #onEvent: OnEvent;
  /** Bytes of the event under way that were not passed on yet. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Whether bytes of the event under way were passed on. */
  #begun = false;
  /** Whether this line is empty so far, a CR aside. */
  #blank = true;
  /** Bytes of this line that equal `data:`; -1: it begins otherwise. */
  #matched = 0;
  #anyData = false;
  /** Bytes of a byte order mark that the stream began with; undefined: it is past that. */
  #marked: number | undefined = 0;

  constructor(reader: MemberReader, onEvent: OnEvent) {
    this.#reader = reader;
    this.#onEvent = onEvent;
  }

  /** Whether an event was passed on in part: nothing can follow it. */
  get inEvent(): boolean {
    return this.#begun;
  }

  /** Takes the next bytes; returns what goes to the client now, in order. */
  write(chunk: Buffer): Buffer[] {
    const out: Buffer[] = [];
    let passFrom = 0;
    let eventFrom = 0;
    for (let at = this.#marked === undefined ? 0 : this.#pastMark(chunk); at < chunk.length; ) {
      const newline = chunk.indexOf(NEWLINE, at);
      this.#line(chunk, at, newline < 0 ? chunk.length : newline);
      if (newline < 0) break;
      at = newline + 1;
      if (!this.#endLine()) continue;
      if (!this.#endEvent(out)) {
        if (eventFrom > passFrom) out.push(chunk.subarray(passFrom, eventFrom));
        passFrom = at;
      }
      eventFrom = at;
    }
    if (eventFrom > passFrom) out.push(chunk.subarray(passFrom, eventFrom));
    if (eventFrom < chunk.length) this.#hold(out, chunk.subarray(eventFrom));
    return out;
  }

  /** The stream is over: what was held back. An event whose blank line is missing counts as whole. */
  end(): Buffer[] {
    const out: Buffer[] = [];
    this.#endEvent(out);
    return out;
  }

  /** Where in the chunk the first line begins. */
  #pastMark(chunk: Buffer): number {
    let at = 0;
    while (this.#marked !== undefined && at < chunk.length) {
      const isOfMark = chunk[at] === BYTE_ORDER_MARK[this.#marked];
      this.#marked = isOfMark ? this.#marked + 1 : undefined;
      if (isOfMark) at += 1;
    }
    return at;
  }

  #line(chunk: Buffer, from: number, to: number): void {
    if (to === from) return;
    if (to > from + 1 || chunk[from] !== CR) this.#blank = false;
    let at = from;
    while (at < to && this.#matched >= 0 && this.#matched < DATA.length) {
      this.#matched = chunk[at++] === DATA[this.#matched] ? this.#matched + 1 : -1;
    }
    if (this.#matched !== DATA.length || at === to) return;
    this.#reader.write(chunk, at, to);
    this.#anyData = true;
  }

  /** Whether the line that ends here was blank. */
  #endLine(): boolean {
    const blank = this.#blank;
    this.#blank = true;
    this.#matched = 0;
    return blank;
  }

  /** The event under way is over: whether it goes to the client. Of what was held back of it, `out` has got it then. */
  #endEvent(out: Buffer[]): boolean {
    const pass = !this.#anyData || this.#onEvent() === 'pass' || this.#begun;
    if (this.#anyData) this.#reader.reset();
    if (pass) out.push(...this.#held);
    this.#anyData = false;
    this.#held = [];
    this.#heldBytes = 0;
    this.#begun = false;
    return pass;
  }

  #hold(out: Buffer[], piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (!this.#begun && this.#heldBytes <= MAX_HELD) return;
    out.push(...this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#begun = true;
  }
}

import { type Json, jsonText } from './json-text.ts';

const NEWLINE = 0x0a;
/** The longest event that is taken: a provider that never ends one would fill the memory. */
const MAX_EVENT = 16 * 1024 * 1024;

/** What a stream sends that is none. */
export class StreamFault extends Error {}

/** What an event holds; a fault in place of one that is longer than is taken. */
export type EventData = string | StreamFault;

/** Stands for a line that is not kept, and is not blank. */
const PASSED_OVER = Buffer.from('::');

/**
 * Cuts a stream of server-sent events, which comes in any pieces, into the data of its events. Lines end with LF or CRLF; a
 * byte order mark may come first.
 */
export class SseCutter {
  /** Of the line under way. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Of the event under way. */
  #data: string[] = [];
  /** Of its lines: many may be empty. */
  #dataLength = 0;
  /** Whether it was too long: nothing more of it is kept. */
  #isTooLong = false;
  #hasBegun = false;

  /** @returns the data of every event that ends in the chunk */
  write(chunk: Buffer): EventData[] {
    const whole: EventData[] = [];
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) this.#lines(chunk.subarray(0, end), whole);
    if (end + 1 < chunk.length) this.#keep(chunk.subarray(end + 1), whole);
    return whole;
  }

  /** The stream is over. A line whose end is missing counts as whole, and so does an event. */
  end(): EventData[] {
    const whole: EventData[] = [];
    if (this.#restBytes > 0) this.#lines(Buffer.alloc(0), whole);
    this.#endEvent(whole);
    return whole;
  }

  /** @param bytes up to the end of a line */
  #lines(bytes: Buffer, whole: EventData[]): void {
    const text = (this.#restBytes === 0 ? bytes : Buffer.concat([...this.#rest, bytes])).toString('utf8');
    this.#rest = [];
    this.#restBytes = 0;
    const lines = this.#hasBegun ? text : text.replace(/^\uFEFF/, '');
    this.#hasBegun = true;
    for (const line of lines.split('\n')) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line, whole);
  }

  #line(line: string, whole: EventData[]): void {
    if (line === '') this.#endEvent(whole);
    if (this.#isTooLong || !line.startsWith('data:')) return;
    this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
    this.#dataLength += line.length;
    if (this.#dataLength > MAX_EVENT) this.#giveUp(whole);
  }

  #endEvent(whole: EventData[]): void {
    const [first, ...more] = this.#data;
    if (first !== undefined) whole.push(more.length === 0 ? first : this.#data.join('\n'));
    this.#data = [];
    this.#dataLength = 0;
    this.#isTooLong = false;
  }

  #keep(piece: Buffer, whole: EventData[]): void {
    this.#rest.push(piece);
    this.#restBytes += piece.length;
    if (this.#restBytes > MAX_EVENT && !this.#isTooLong) this.#giveUp(whole);
    if (!this.#isTooLong || this.#restBytes < PASSED_OVER.length) return;
    this.#rest = [PASSED_OVER];
    this.#restBytes = PASSED_OVER.length;
  }

  #giveUp(whole: EventData[]): void {
    this.#data = [];
    this.#dataLength = 0;
    this.#isTooLong = true;
    whole.push(new StreamFault('an event is longer than is taken'));
  }
}

/** An event with a name, which its data has as its `type` too. */
export function namedEvent(type: string, data: { readonly [name: string]: Json }): string {
  return `event: ${type}\ndata: ${jsonText({ type, ...data })}\n\n`;
}

export function dataEvent(data: Json): string {
  return `data: ${jsonText(data)}\n\n`;
}

/** @throws StreamFault when the data is no JSON object, or was not taken */
export function eventObject(data: EventData): Record<string, unknown> {
  if (data instanceof StreamFault) throw data;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null) throw new StreamFault('an event holds no JSON object');
  return value as Record<string, unknown>;
}

/** The string at a path into what an event holds; empty when there is none. */
export function stringAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[name];
  }
  return at;
}

/** The object at a path as JSON text; undefined when there is none. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'object' && found !== null ? JSON.stringify(found) : undefined;
}

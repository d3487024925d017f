import { type Json, jsonText } from './json-text.ts';

const NEWLINE = 0x0a;
/** The longest event that is taken: a provider that never ends one would fill the memory. */
const MAX_EVENT = 16 * 1024 * 1024;

/** What a stream sends that is none. */
export class StreamFault extends Error {}

/** Cuts a stream of server-sent events, which comes in any pieces, into the data of its events. Lines end with LF or CRLF. */
export class SseCutter {
  /** Of the line under way. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Of the event under way. */
  #data: string[] = [];
  #dataLength = 0;

  /** @returns the data of every event that ends in the chunk. @throws StreamFault when an event is longer than is taken */
  write(chunk: Buffer): string[] {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      this.#keep(chunk);
      return [];
    }
    const whole: string[] = [];
    const lines = chunk.subarray(0, end);
    const text = (this.#restBytes === 0 ? lines : Buffer.concat([...this.#rest, lines])).toString('utf8');
    this.#rest = [];
    this.#restBytes = 0;
    if (end + 1 < chunk.length) this.#keep(chunk.subarray(end + 1));
    for (const line of text.split('\n')) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line, whole);
    return whole;
  }

  /** The stream is over. An event whose blank line is missing counts as whole. */
  end(): string[] {
    const [first = '', ...more] = this.#data;
    const whole = this.#data.length === 0 ? [] : [more.length === 0 ? first : this.#data.join('\n')];
    this.#data = [];
    this.#dataLength = 0;
    return whole;
  }

  #line(line: string, whole: string[]): void {
    if (line === '') whole.push(...this.end());
    if (!line.startsWith('data:')) return;
    const data = line.slice(line[5] === ' ' ? 6 : 5);
    this.#data.push(data);
    this.#dataLength += data.length;
    if (this.#dataLength > MAX_EVENT) throw new StreamFault('an event is longer than is taken');
  }

  #keep(piece: Buffer): void {
    this.#rest.push(piece);
    this.#restBytes += piece.length;
    if (this.#restBytes > MAX_EVENT) throw new StreamFault('an event is longer than is taken');
  }
}

/** An event with a name, which its data has as its `type` too. */
export function namedEvent(type: string, data: { readonly [name: string]: Json }): string {
  return `event: ${type}\ndata: ${jsonText({ type, ...data })}\n\n`;
}

export function dataEvent(data: Json): string {
  return `data: ${jsonText(data)}\n\n`;
}

/** @throws StreamFault when the data is no JSON object */
export function eventObject(data: string): Record<string, unknown> {
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

import { type Json, jsonText } from './json-text.ts';

const NEWLINE = 0x0a;
/** The longest event that is taken: a provider that never ends one would fill the memory. */
const MAX_EVENT = 16 * 1024 * 1024;

/** What a stream sends that is none. */
export class StreamFault extends Error {}

/** Cuts a stream of server-sent events, which comes in any pieces, into the data of its events. Lines end with LF or CRLF. */
export class SseCutter {
  #rest: Buffer[] = [];
  #restBytes = 0;
  #data: string[] = [];
  #dataLength = 0;

  /** @throws StreamFault when an event is longer than is taken */
  *write(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = this.#line(chunk.subarray(from, at));
      from = at + 1;
      if (line !== '') this.#take(line);
      else yield* this.end();
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** The stream is over. An event whose blank line is missing counts as whole. */
  *end(): Generator<string> {
    if (this.#data.length > 0) yield this.#data.join('\n');
    this.#data = [];
    this.#dataLength = 0;
  }

  #line(end: Buffer): string {
    const bytes = this.#restBytes === 0 ? end : Buffer.concat([...this.#rest, end]);
    this.#rest = [];
    this.#restBytes = 0;
    const line = bytes.toString('utf8');
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  #take(line: string): void {
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

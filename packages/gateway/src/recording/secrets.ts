import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { RecordedBytes } from '@ssebench/contracts/model-calls';

/** What stands for a key in a recording. */
export const KEY_MARK = '[key]';
/** A shorter key would be found in words that are none. */
const SHORTEST = 8;

const CREDENTIALS = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'set-cookie',
]);

/** The keys that must not come into a run's recording. */
export class Secrets {
  readonly #of: readonly string[];
  readonly #keys: readonly Buffer[];
  readonly #texts: readonly string[];
  /** A key that has begun within so many last bytes of a piece may end in the next one. */
  readonly carry: number;

  constructor(keys: readonly string[]) {
    this.#of = keys;
    this.#texts = keys.filter((key) => key.length >= SHORTEST);
    this.#keys = this.#texts.map((key) => Buffer.from(key));
    this.carry = Math.max(0, ...this.#keys.map(({ length }) => length - 1));
  }

  isOf(keys: readonly string[]): boolean {
    return keys.length === this.#of.length && keys.every((key, index) => key === this.#of[index]);
  }

  /** The bytes with a mark in place of every key; the same where there is none. */
  cleanBytes(bytes: Buffer): Buffer {
    return this.#keys.reduce((clean, key) => (clean.includes(key) ? replaceAll(clean, key) : clean), bytes);
  }

  cleanText(text: string): string {
    return this.#texts.reduce((clean, key) => (clean.includes(key) ? clean.replaceAll(key, KEY_MARK) : clean), text);
  }

  /** A request's headers without those that carry credentials. */
  cleanHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
    const clean: Record<string, string | string[]> = {};
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || CREDENTIALS.has(name)) continue;
      clean[name] = typeof value === 'string' ? this.cleanText(value) : value.map((one) => this.cleanText(one));
    }
    return clean;
  }
}

function replaceAll(bytes: Buffer, key: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, from)) {
    pieces.push(bytes.subarray(from, at), Buffer.from(KEY_MARK));
    from = at + key.length;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}

/** The path without a key in its query. */
export function cleanPath(url: string): string {
  if (!url.includes('?')) return url;
  const [path = '', search] = url.split(/\?(.*)/s);
  const pairs = (search ?? '').split('&').filter((pair) => pair !== '' && !new URLSearchParams(pair).has('key'));
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

export function recordedBytes(bytes: Buffer): RecordedBytes {
  return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

export function bytesOf(recorded: RecordedBytes): Buffer {
  return 'text' in recorded ? Buffer.from(recorded.text) : Buffer.from(recorded.base64, 'base64');
}

import { isUtf8 } from 'node:buffer';
import { ESCAPED, type JsonNode, JsonView, KIND, NODE } from './view.ts';

/** What a document may be. The depth bounds the recursion, the nodes bound the memory. */
const MAX_DEPTH = 200;
const MAX_NODES = 1_000_000;
/** Objects with more keys than this are searched for duplicates with a set. */
const FEW_KEYS = 8;

/** `offset` is the byte at which the text stops to be a document that is taken. */
export class JsonError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(`${message} at byte ${offset}`);
    this.offset = offset;
  }
}

class Scanner {
  readonly #bytes: Buffer;
  readonly #nodes: number[] = [];
  #count = 0;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  document(): JsonView {
    this.#space();
    this.#value(0);
    this.#space();
    if (this.#at < this.#bytes.length) this.#fail('more after the end of the document');
    return new JsonView(this.#bytes, this.#nodes);
  }

  #fail(message: string): never {
    throw new JsonError(this.#at >= this.#bytes.length ? 'the text ends early' : message, this.#at);
  }

  #space(): void {
    const bytes = this.#bytes;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.#at++;
    }
  }

  /** A new node that starts here. */
  #open(kind: number): JsonNode {
    const node = this.#count++;
    if (node >= MAX_NODES) throw new JsonError('more values than are taken', this.#at);
    this.#nodes.push(kind, this.#at, 0, 0);
    return node;
  }

  /** The node ends here. */
  #close(node: JsonNode): void {
    this.#nodes[node * NODE.stride + NODE.end] = this.#at;
    this.#nodes[node * NODE.stride + NODE.after] = this.#count;
  }

  #value(depth: number): void {
    switch (this.#bytes[this.#at]) {
      case 0x7b:
        this.#object(depth + 1);
        return;
      case 0x5b:
        this.#array(depth + 1);
        return;
      case 0x22:
        this.#string();
        return;
      case 0x74:
        this.#word(KIND.true, 'true');
        return;
      case 0x66:
        this.#word(KIND.false, 'false');
        return;
      case 0x6e:
        this.#word(KIND.null, 'null');
        return;
      default:
        this.#number();
    }
  }

  #object(depth: number): void {
    if (depth > MAX_DEPTH) this.#fail('nested deeper than is taken');
    const node = this.#open(KIND.object);
    this.#at++;
    this.#space();
    let keys = 0;
    if (this.#bytes[this.#at] === 0x7d) this.#at++;
    else {
      for (;;) {
        if (this.#bytes[this.#at] !== 0x22) this.#fail('a member has no name');
        this.#string();
        keys++;
        this.#space();
        if (this.#bytes[this.#at] !== 0x3a) this.#fail('a member has no value');
        this.#at++;
        this.#space();
        this.#value(depth);
        if (this.#ends(0x7d)) break;
      }
    }
    this.#close(node);
    if (keys > 1) this.#refuseDuplicates(node, keys);
  }

  #array(depth: number): void {
    if (depth > MAX_DEPTH) this.#fail('nested deeper than is taken');
    const node = this.#open(KIND.array);
    this.#at++;
    this.#space();
    if (this.#bytes[this.#at] === 0x5d) this.#at++;
    else {
      do this.#value(depth);
      while (!this.#ends(0x5d));
    }
    this.#close(node);
  }

  /** Steps over a comma, or over the `closing` byte, which it tells. */
  #ends(closing: number): boolean {
    this.#space();
    const byte = this.#bytes[this.#at];
    if (byte !== closing && byte !== 0x2c) this.#fail('neither a comma nor an end');
    this.#at++;
    if (byte === closing) return true;
    this.#space();
    return false;
  }

  #string(): void {
    const node = this.#open(KIND.string);
    const bytes = this.#bytes;
    let at = this.#at + 1;
    let escaped = false;
    for (;;) {
      const byte = bytes[at] ?? -1;
      if (byte === 0x22) break;
      if (byte === 0x5c) {
        escaped = true;
        at = this.#escape(at);
      } else if (byte < 0x20) {
        this.#at = at;
        this.#fail('a control character in a string');
      } else at++;
    }
    this.#at = at + 1;
    if (escaped) this.#nodes[node * NODE.stride + NODE.kind] = KIND.string | ESCAPED;
    this.#close(node);
  }

  /** The offset after the escape sequence at `at`. */
  #escape(at: number): number {
    const letter = this.#bytes[at + 1];
    if (letter === 0x75) {
      if (/^[0-9a-fA-F]{4}$/.test(this.#bytes.toString('latin1', at + 2, at + 6))) return at + 6;
    } else if (letter !== undefined && '"\\/bfnrt'.includes(String.fromCharCode(letter))) return at + 2;
    this.#at = at;
    this.#fail('an escape sequence that JSON does not have');
  }

  #word(kind: number, word: string): void {
    const node = this.#open(kind);
    const bytes = this.#bytes;
    for (let index = 0; index < word.length; index++) {
      if (bytes[this.#at + index] !== word.charCodeAt(index)) this.#fail('not a value');
    }
    this.#at += word.length;
    this.#close(node);
  }

  #number(): void {
    const node = this.#open(KIND.number);
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    while (isDigit(bytes[at] ?? 0)) at++;
    if (at === start || bytes[start] === 0x30 || isNumberPart(bytes[at] ?? 0)) {
      while (isNumberPart(bytes[at] ?? 0)) at++;
      if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(bytes.toString('latin1', start, at)))
        this.#fail('not a value');
    }
    this.#at = at;
    this.#close(node);
  }

  /** Two readers of an object with two members of one name may take different ones: nothing could be said of it. */
  #refuseDuplicates(node: JsonNode, keys: number): void {
    if (keys > FEW_KEYS || this.#anyEscaped(node)) {
      const view = new JsonView(this.#bytes, this.#nodes);
      const names = new Set<string>();
      view.eachMember(node, (name) => names.add(name));
      if (names.size < keys) this.#refuseObject(node);
      return;
    }
    const nodes = this.#nodes;
    const after = nodes[node * NODE.stride + NODE.after] ?? 0;
    for (let one = node + 1; one < after; one = nodes[(one + 1) * NODE.stride + NODE.after] ?? after) {
      for (let two = nodes[(one + 1) * NODE.stride + NODE.after] ?? after; two < after; ) {
        if (this.#sameText(one, two)) this.#refuseObject(node);
        two = nodes[(two + 1) * NODE.stride + NODE.after] ?? after;
      }
    }
  }

  #refuseObject(node: JsonNode): never {
    throw new JsonError('two members of an object have one name', this.#nodes[node * NODE.stride + NODE.start] ?? 0);
  }

  #anyEscaped(node: JsonNode): boolean {
    const nodes = this.#nodes;
    const after = nodes[node * NODE.stride + NODE.after] ?? 0;
    for (let key = node + 1; key < after; key = nodes[(key + 1) * NODE.stride + NODE.after] ?? after) {
      if ((nodes[key * NODE.stride + NODE.kind] ?? 0) & ESCAPED) return true;
    }
    return false;
  }

  #sameText(one: JsonNode, two: JsonNode): boolean {
    const nodes = this.#nodes;
    const start = nodes[one * NODE.stride + NODE.start] ?? 0;
    const other = nodes[two * NODE.stride + NODE.start] ?? 0;
    const length = (nodes[one * NODE.stride + NODE.end] ?? 0) - start;
    if ((nodes[two * NODE.stride + NODE.end] ?? 0) - other !== length) return false;
    for (let at = 0; at < length; at++) if (this.#bytes[start + at] !== this.#bytes[other + at]) return false;
    return true;
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isNumberPart(byte: number): boolean {
  return isDigit(byte) || byte === 0x2d || byte === 0x2b || byte === 0x2e || (byte | 0x20) === 0x65;
}

/**
 * Reads a JSON text (RFC 8259, strictly) once, without decoding it.
 * @throws JsonError when it is malformed, not UTF-8, nested deeper than 200, has more than a million values, or an object in it names a member twice
 */
export function scanJson(bytes: Buffer): JsonView {
  if (!isUtf8(bytes)) throw new JsonError('not UTF-8', 0);
  return new Scanner(bytes).document();
}

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';
const KINDS: readonly JsonKind[] = ['object', 'array', 'string', 'number', 'true', 'false', 'null'];
/** How the nodes stand in their array, and what is in them: `JsonView` reads what `scanJson` wrote. */
export const NODE = { stride: 4, kind: 0, start: 1, end: 2, after: 3 } as const;
export const KIND = { object: 0, array: 1, string: 2, number: 3, true: 4, false: 5, null: 6 } as const;
/** Set in a string's kind when it holds a backslash. */
export const ESCAPED = 8;

/** A value of a `JsonView`. 0 is the root, -1 stands for none. */
export type JsonNode = number;

/** Names that are looked for. A member's is compared where it stands, and decoded only if it is none of these. */
export class Names {
  readonly #byLength: string[][] = [];

  constructor(names: Iterable<string>) {
    for (const name of names) {
      const same = this.#byLength[name.length] ?? [];
      same.push(name);
      this.#byLength[name.length] = same;
    }
  }

  /** The one that these bytes spell. */
  at(bytes: Buffer, start: number, end: number): string | undefined {
    return this.#byLength[end - start]?.find((name) => spells(bytes, start, name));
  }
}

function spells(bytes: Buffer, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[start + at] !== name.charCodeAt(at)) return false;
  return true;
}

/**
 * A JSON text and where its values stand in it. Nothing is decoded before it is asked for, so that a request's body is read
 * once, and what is not edited can be passed on as it came.
 */
export class JsonView {
  readonly bytes: Buffer;
  readonly #nodes: readonly number[];

  constructor(bytes: Buffer, nodes: readonly number[]) {
    this.bytes = bytes;
    this.#nodes = nodes;
  }

  #read(node: JsonNode, what: number): number {
    return this.#nodes[node * NODE.stride + what] ?? -1;
  }

  kind(node: JsonNode): JsonKind {
    return KINDS[this.#read(node, NODE.kind) & ~ESCAPED] ?? 'null';
  }

  /** Whether there is a value and it is `true`. */
  isTrue(node: JsonNode): boolean {
    return node >= 0 && this.#read(node, NODE.kind) === KIND.true;
  }

  /** Offset of the value's first byte. */
  start(node: JsonNode): number {
    return this.#read(node, NODE.start);
  }

  /** Offset after the value's last byte. */
  end(node: JsonNode): number {
    return this.#read(node, NODE.end);
  }

  /** The value of an object's member; -1 when it has none of that name, or is no object. */
  member(node: JsonNode, name: string): JsonNode {
    if (node < 0 || this.#read(node, NODE.kind) !== KIND.object) return -1;
    const after = this.#read(node, NODE.after);
    for (let key = node + 1; key < after; key = this.#read(key + 1, NODE.after)) {
      if (this.#keyIs(key, name)) return key + 1;
    }
    return -1;
  }

  /** Nothing for what is no object. @param names of which most members have one */
  eachMember(node: JsonNode, visit: (name: string, value: JsonNode) => void, names?: Names): void {
    if (node < 0 || this.#read(node, NODE.kind) !== KIND.object) return;
    const after = this.#read(node, NODE.after);
    for (let key = node + 1; key < after; key = this.#read(key + 1, NODE.after)) visit(this.#name(key, names), key + 1);
  }

  /** Nothing for what is no array. */
  eachItem(node: JsonNode, visit: (value: JsonNode, index: number) => void): void {
    if (node < 0 || this.#read(node, NODE.kind) !== KIND.array) return;
    const after = this.#read(node, NODE.after);
    let index = 0;
    for (let item = node + 1; item < after; item = this.#read(item, NODE.after)) visit(item, index++);
  }

  /** The decoded string; undefined for what is no string, and for none. */
  string(node: JsonNode): string | undefined {
    if (node < 0) return undefined;
    const kind = this.#read(node, NODE.kind);
    if ((kind & ~ESCAPED) !== KIND.string) return undefined;
    if (kind & ESCAPED) return JSON.parse(this.text(node)) as string;
    return this.bytes.toString('utf8', this.start(node) + 1, this.end(node) - 1);
  }

  /** Undefined for what is no number, and for none. */
  number(node: JsonNode): number | undefined {
    return node >= 0 && this.#read(node, NODE.kind) === KIND.number ? Number(this.text(node)) : undefined;
  }

  /** The value as it is written. */
  text(node: JsonNode): string {
    return this.bytes.toString('utf8', this.start(node), this.end(node));
  }

  /** Whether the value is a string that begins with these ASCII characters, written plainly. */
  startsWith(node: JsonNode, prefix: string): boolean {
    if (this.kind(node) !== 'string' || this.end(node) - this.start(node) - 2 < prefix.length) return false;
    return this.bytes.toString('latin1', this.start(node) + 1, this.start(node) + 1 + prefix.length) === prefix;
  }

  #name(key: JsonNode, names: Names | undefined): string {
    // What is not ASCII has more bytes than letters, and what is escaped more letters than it stands for.
    return names?.at(this.bytes, this.start(key) + 1, this.end(key) - 1) ?? this.string(key) ?? '';
  }

  #keyIs(key: JsonNode, name: string): boolean {
    if (this.#read(key, NODE.kind) & ESCAPED) return this.string(key) === name;
    const start = this.start(key) + 1;
    if (this.end(key) - 1 - start !== name.length) return false;
    return spells(this.bytes, start, name);
  }
}

import { FoundTexts } from './found.ts';

/** Names of members, each a path from the top: `usage`, `response.usage`. */
export type MemberPaths = readonly string[];

interface Wanted {
  readonly path: string | undefined;
  readonly below: Map<string, Wanted>;
}

/** A member that is longer is not kept. */
const MAX_CAPTURE = 64 * 1024;
const MAX_NAME = 64;
const MAX_DEPTH = 512;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const trees = new WeakMap<MemberPaths, Wanted>();

function tree(paths: MemberPaths): Wanted {
  const known = trees.get(paths);
  if (known !== undefined) return known;
  const root: Wanted = { path: undefined, below: new Map() };
  for (const path of paths) {
    let at = root;
    const names = path.split('.');
    for (const [index, name] of names.entries()) {
      const next = at.below.get(name) ?? { path: index === names.length - 1 ? path : undefined, below: new Map() };
      at.below.set(name, next);
      at = next;
    }
  }
  trees.set(paths, root);
  return root;
}

/**
 * Reads some members of a JSON text that comes in pieces, in memory that does not grow with the text. The text is taken as
 * well-formed: of one that is not, something else or nothing is told. The items of an array at the top are each read like a
 * text of their own.
 */
export class MemberReader {
  readonly #root: Wanted;
  /** What each found member was last, as written. */
  readonly found = new FoundTexts();
  /** Per open object or array: what is wanted below it. */
  readonly #open: (Wanted | undefined)[] = [];
  /** Per open object or array: whether it is an object. */
  readonly #objects: boolean[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** What was read of a member's name, where it is looked at; undefined: the string under way is none. */
  #name: string | undefined;
  /** In an object, before a colon. */
  #beforeValue = false;
  /** What the coming value is wanted as. */
  #wanted: Wanted | undefined;
  #capture: { path: string; depth: number; pieces: Buffer[]; bytes: number } | undefined;
  #captureFrom = 0;

  constructor(paths: MemberPaths) {
    this.#root = tree(paths);
  }

  /** Forgets the text so far, for the next one. */
  reset(): void {
    this.found.clear();
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#name = undefined;
    this.#beforeValue = false;
    this.#wanted = undefined;
    this.#capture = undefined;
  }

  /** Takes the next piece: the chunk's bytes `from` to `to`. */
  write(chunk: Buffer, from = 0, to = chunk.length): void {
    this.#captureFrom = from;
    for (let at = from; at < to; at++) {
      if (this.#inString) at = this.#string(chunk, at, to);
      else this.#structure(chunk, at);
    }
    if (this.#capture !== undefined) this.#keep(chunk, to);
  }

  /** Reads on in a string; the offset of the last byte that was read. */
  #string(chunk: Buffer, from: number, to: number): number {
    const name = this.#name;
    const end = this.#skipString(chunk, from, to);
    if (name === undefined) return end;
    if (name.length < MAX_NAME) this.#name = name + chunk.toString('latin1', from, Math.min(end, from + MAX_NAME));
    if (!this.#inString) this.#named();
    return end;
  }

  /** From quote to quote. */
  #skipString(chunk: Buffer, from: number, to: number): number {
    let first = from;
    if (this.#escaped) {
      this.#escaped = false;
      first++;
    }
    for (let at = first; ; ) {
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote < 0 || quote >= to ? to : quote;
      let backslashes = 0;
      while (end - backslashes > first && chunk[end - backslashes - 1] === BACKSLASH) backslashes++;
      const escaped = backslashes % 2 === 1;
      if (end === to) {
        this.#escaped = escaped;
        return to;
      }
      if (!escaped) {
        this.#inString = false;
        return quote;
      }
      at = quote + 1;
    }
  }

  #named(): void {
    this.#wanted = this.#open[this.#depth]?.below.get(this.#name ?? '');
    this.#name = undefined;
  }

  #structure(chunk: Buffer, at: number): void {
    switch (chunk[at]) {
      case 0x22: // "
        this.#inString = true;
        if (this.#beforeValue) this.#name = this.#open[this.#depth] === undefined ? undefined : '';
        else this.#begin(at);
        return;
      case 0x3a: // :
        this.#beforeValue = false;
        return;
      case 0x7b: // {
      case 0x5b: // [
        this.#begin(at);
        this.#enter(chunk[at] === 0x7b);
        return;
      case 0x7d: // }
      case 0x5d: // ]
        this.#finish(chunk, at);
        this.#depth = Math.max(0, this.#depth - 1);
        this.#finish(chunk, at + 1);
        this.#beforeValue = false;
        return;
      case 0x2c: // ,
        this.#finish(chunk, at);
        this.#beforeValue = this.#objects[this.#depth] ?? false;
        this.#wanted = undefined;
        return;
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        return;
      default:
        this.#begin(at);
    }
  }

  #enter(object: boolean): void {
    const top = this.#depth === 0;
    const wanted = top || (this.#depth === 1 && !this.#objects[1] && object) ? this.#root : this.#wanted;
    this.#depth = Math.min(this.#depth + 1, MAX_DEPTH);
    this.#open[this.#depth] = object ? wanted : undefined;
    this.#objects[this.#depth] = object;
    this.#beforeValue = object;
    this.#wanted = undefined;
  }

  /** A value starts here; if it is wanted itself it is kept from here on. */
  #begin(at: number): void {
    const path = this.#wanted?.path;
    if (path === undefined || this.#capture !== undefined) return;
    this.#capture = { path, depth: this.#depth, pieces: [], bytes: 0 };
    this.#captureFrom = at;
  }

  /** If the value that is kept is at this depth, it ended before `end`. */
  #finish(chunk: Buffer, end: number): void {
    const capture = this.#capture;
    if (capture?.depth !== this.#depth) return;
    if (capture.bytes === 0 && end - this.#captureFrom <= MAX_CAPTURE)
      this.found.set(capture.path, chunk.toString('utf8', this.#captureFrom, end).trim());
    else {
      this.#keep(chunk, end);
      if (capture.bytes <= MAX_CAPTURE) this.found.set(capture.path, Buffer.concat(capture.pieces).toString().trim());
    }
    this.#capture = undefined;
  }

  #keep(chunk: Buffer, end: number): void {
    const capture = this.#capture;
    if (capture === undefined) return;
    const piece = chunk.subarray(this.#captureFrom, end);
    capture.bytes += piece.length;
    if (capture.bytes <= MAX_CAPTURE) capture.pieces.push(Buffer.from(piece));
    else capture.pieces.length = 0;
    this.#captureFrom = end;
  }
}

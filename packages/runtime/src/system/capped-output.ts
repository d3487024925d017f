import { CAPS } from '@ssebench/contracts/caps';

/** Most bytes kept of one output stream: half from its start, half from its end. */
export const OUTPUT_CAP_BYTES = CAPS.output_bytes;

/** What was kept of an output stream. `bytes` counts all that came. */
export class Captured {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly bytes: number;

  constructor(head: Buffer, tail: Buffer, bytes: number) {
    this.head = head;
    this.tail = tail;
    this.bytes = bytes;
  }

  get truncated(): boolean {
    return this.bytes > this.head.length + this.tail.length;
  }

  /** The kept bytes; where some were left out, a line of its own says how many. */
  toBuffer(): Buffer {
    if (!this.truncated) return Buffer.concat([this.head, this.tail]);
    const left = this.bytes - this.head.length - this.tail.length;
    const before = this.head.length > 0 && this.head.at(-1) !== 0x0a ? '\n' : '';
    return Buffer.concat([this.head, Buffer.from(`${before}[… ${left} bytes left out …]\n`), this.tail]);
  }

  /** The same as text; what is not UTF-8 becomes U+FFFD. */
  toText(): string {
    return this.toBuffer().toString('utf8');
  }
}

/** Collects a stream in at most `capBytes` of memory (and the chunk at hand): its head and its tail. */
export class CappedOutput {
  readonly #headCap: number;
  readonly #tailCap: number;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #bytes = 0;

  constructor(capBytes = OUTPUT_CAP_BYTES) {
    this.#headCap = Math.ceil(capBytes / 2);
    this.#tailCap = Math.floor(capBytes / 2);
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const toHead = Math.min(chunk.length, this.#headCap - this.#headBytes);
    if (toHead > 0) {
      this.#head.push(Buffer.from(chunk.subarray(0, toHead)));
      this.#headBytes += toHead;
    }
    if (toHead < chunk.length) this.#pushTail(chunk.subarray(Math.max(toHead, chunk.length - this.#tailCap)));
  }

  finish(): Captured {
    this.#trimTail(true);
    return new Captured(Buffer.concat(this.#head), Buffer.concat(this.#tail), this.#bytes);
  }

  #pushTail(chunk: Buffer): void {
    if (this.#tailCap === 0) return;
    this.#tail.push(Buffer.from(chunk));
    this.#tailBytes += chunk.length;
    if (this.#tailBytes > 2 * this.#tailCap || this.#tail.length > 4096) this.#trimTail(false);
  }

  #trimTail(last: boolean): void {
    if (this.#tailBytes <= this.#tailCap && !last && this.#tail.length <= 4096) return;
    const all = Buffer.concat(this.#tail);
    const kept = all.length > this.#tailCap ? Buffer.from(all.subarray(all.length - this.#tailCap)) : all;
    this.#tail = [kept];
    this.#tailBytes = kept.length;
  }
}

/** Of a longer line the beginning is given on, without what follows. Bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Cuts a stream of bytes into lines of UTF-8 text, without their ends and without empty ones; memory is bounded. Only a line
 * feed ends a line: JSON may hold the other characters that some take for an end.
 */
export class LineSplitter {
  readonly #onLine: (line: string, number: number) => void;
  #parts: Buffer[] = [];
  #bytes = 0;
  #number = 0;

  /** @param onLine is told the line's number, from 1, empty ones counted */
  constructor(onLine: (line: string, number: number) => void) {
    this.#onLine = onLine;
  }

  write(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      this.#keep(chunk.subarray(from, end));
      this.end();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  /** Gives on what has no end. */
  end(): void {
    const line = Buffer.concat(this.#parts).toString('utf8').replace(/\r$/, '');
    this.#parts = [];
    this.#bytes = 0;
    this.#number += 1;
    if (line !== '') this.#onLine(line, this.#number);
  }

  #keep(part: Buffer): void {
    const kept = part.subarray(0, MAX_LINE_BYTES - this.#bytes);
    if (kept.length === 0) return;
    this.#parts.push(kept);
    this.#bytes += kept.length;
  }
}

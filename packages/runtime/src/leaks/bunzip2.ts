/** What begins a block, and what ends a stream: digits of pi, and of its square root. */
const BLOCK = 0x314159265359;
const END = 0x177245385090;
const STREAM = 0x425a68;
/** So many symbols are of one Huffman table. */
const GROUP = 50;
const MAX_LENGTH = 20;

/**
 * What is in a bzip2 file, block by block: some hundred KiB, or tens of MiB of what repeats itself. Several streams one after
 * the other are one content. Images seldom have the program `bzip2`, and neither Node.js nor a package that is kept up decodes it.
 * Checksums are not compared.
 * @param read the next bytes of the file; none at its end
 * @throws Error for what is no bzip2, damaged or cut off; what came before was yielded
 */
export function* bunzip2(read: () => Uint8Array): Generator<Buffer> {
  const bits = new Bits(read);
  for (let streams = 0; bits.hasMore(); streams++) {
    const isStream = bits.take(24) === STREAM;
    if (!isStream && streams > 0) return;
    const level = bits.take(8) - 0x30;
    if (!isStream || level < 1 || level > 9) throw new Error('is no bzip2');
    for (;;) {
      const magic = bits.take(24) * 2 ** 24 + bits.take(24);
      // A checksum.
      bits.take(16);
      bits.take(16);
      if (magic === END) break;
      if (magic !== BLOCK) throw damaged();
      yield block(bits, level * 100_000);
    }
    bits.align();
  }
}

function block(bits: Bits, size: number): Buffer {
  // Only versions before 0.9.5 wrote such blocks.
  if (bits.take(1) === 1) throw new Error('is of an old kind of bzip2');
  const origin = bits.take(24);
  const bytes = usedBytes(bits);
  const symbols = bytes.length + 2;
  const tableCount = bits.take(3);
  const selectors = readSelectors(bits, tableCount);
  const tables = Array.from({ length: tableCount }, () => new Huffman(bits, symbols));
  const content = new Uint32Array(size);
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let at = 0; ; at++) {
    const table = tables[selectors[Math.floor(at / GROUP)] ?? tableCount];
    if (!table) throw damaged();
    const symbol = table.next(bits);
    if (symbol < 2) {
      run += weight << symbol;
      weight *= 2;
      if (length + run > size) throw damaged();
      continue;
    }
    content.fill(bytes[0] ?? 0, length, length + run);
    length += run;
    run = 0;
    weight = 1;
    if (symbol === symbols - 1) break;
    if (length === size) throw damaged();
    const byte = bytes[symbol - 1] ?? 0;
    bytes.copyWithin(1, 0, symbol - 1);
    bytes[0] = byte;
    content[length++] = byte;
  }
  if (origin >= length) throw damaged();
  return repeated(sorted(content.subarray(0, length), origin));
}

/** Those that the block has, of all 256. */
function usedBytes(bits: Bits): Uint8Array {
  const bytes: number[] = [];
  const groups = bits.take(16);
  for (let high = 0; high < 16; high++) {
    const group = (groups >> (15 - high)) & 1 ? bits.take(16) : 0;
    for (let low = 0; low < 16; low++) if ((group >> (15 - low)) & 1) bytes.push(high * 16 + low);
  }
  return Uint8Array.from(bytes);
}

/** Which table each group of symbols is of. */
function readSelectors(bits: Bits, tableCount: number): Uint8Array {
  const recent = Array.from({ length: tableCount }, (_, index) => index);
  return Uint8Array.from({ length: bits.take(15) }, () => {
    let at = 0;
    while (bits.take(1) === 1) at += 1;
    const [table] = recent.splice(at, 1);
    if (table === undefined) throw damaged();
    recent.unshift(table);
    return table;
  });
}

/** Codes in the order of their length, and of symbols of one length. */
class Huffman {
  /** By length: the first code, how many there are, and where their symbols begin. */
  readonly #first = new Int32Array(MAX_LENGTH + 1);
  readonly #count = new Int32Array(MAX_LENGTH + 1);
  readonly #start = new Int32Array(MAX_LENGTH + 1);
  readonly #symbols: Uint16Array;

  constructor(bits: Bits, symbols: number) {
    const lengths: number[] = [];
    let length = bits.take(5);
    for (let symbol = 0; symbol < symbols; symbol++) {
      while (bits.take(1) === 1) length += bits.take(1) === 1 ? -1 : 1;
      if (length < 1 || length > MAX_LENGTH) throw damaged();
      lengths.push(length);
    }
    const ordered: number[] = [];
    let code = 0;
    for (let size = 1; size <= MAX_LENGTH; size++) {
      this.#first[size] = code;
      this.#start[size] = ordered.length;
      for (const [symbol, own] of lengths.entries()) if (own === size) ordered.push(symbol);
      const count = ordered.length - (this.#start[size] ?? 0);
      this.#count[size] = count;
      code = (code + count) << 1;
    }
    this.#symbols = Uint16Array.from(ordered);
  }

  next(bits: Bits): number {
    let code = 0;
    for (let length = 1; length <= MAX_LENGTH; length++) {
      code = (code << 1) | bits.take(1);
      const index = code - (this.#first[length] ?? 0);
      if (index < (this.#count[length] ?? 0)) return this.#symbols[(this.#start[length] ?? 0) + index] ?? 0;
    }
    throw damaged();
  }
}

/** Takes the sorting of Burrows and Wheeler back. The content's upper bits become links. */
function sorted(content: Uint32Array, origin: number): Buffer {
  const places = new Uint32Array(257);
  for (let at = 0; at < content.length; at++) {
    const next = (content[at] ?? 0) + 1;
    places[next] = (places[next] ?? 0) + 1;
  }
  for (let byte = 1; byte < 257; byte++) places[byte] = (places[byte] ?? 0) + (places[byte - 1] ?? 0);
  for (let index = 0; index < content.length; index++) {
    const byte = (content[index] ?? 0) & 0xff;
    const place = places[byte] ?? 0;
    places[byte] = place + 1;
    content[place] = (content[place] ?? 0) | (index << 8);
  }
  const out = Buffer.allocUnsafe(content.length);
  let link = (content[origin] ?? 0) >>> 8;
  for (let at = 0; at < out.length; at++) {
    const entry = content[link] ?? 0;
    out[at] = entry & 0xff;
    link = entry >>> 8;
  }
  return out;
}

/** Behind four bytes that are the same stands how many more of them there are. */
function repeated(content: Buffer): Buffer {
  const out = Buffer.allocUnsafe(repeatedLength(content));
  let length = 0;
  let same = 0;
  let last = -1;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    if (same === 4) {
      out.fill(last, length, length + byte);
      length += byte;
      same = 0;
      last = -1;
      continue;
    }
    same = byte === last ? same + 1 : 1;
    last = byte;
    out[length++] = byte;
  }
  return out;
}

function repeatedLength(content: Buffer): number {
  let length = 0;
  let same = 0;
  let last = -1;
  for (let at = 0; at < content.length; at++) {
    const byte = content[at] ?? 0;
    if (same === 4) {
      length += byte;
      same = 0;
      last = -1;
      continue;
    }
    same = byte === last ? same + 1 : 1;
    last = byte;
    length += 1;
  }
  return length;
}

/** The highest bit first. */
class Bits {
  readonly #read: () => Uint8Array;
  #chunk: Uint8Array = new Uint8Array();
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(read: () => Uint8Array) {
    this.#read = read;
  }

  /** Whether there is another byte. */
  hasMore(): boolean {
    if (this.#at === this.#chunk.length) {
      this.#chunk = this.#read();
      this.#at = 0;
    }
    return this.#chunk.length > 0;
  }

  /** 24 at most. */
  take(count: number): number {
    while (this.#count < count) {
      if (!this.hasMore()) throw new Error('ends too early');
      this.#held = (this.#held << 8) | (this.#chunk[this.#at++] ?? 0);
      this.#count += 8;
    }
    this.#count -= count;
    const value = this.#held >>> this.#count;
    this.#held &= (1 << this.#count) - 1;
    return value;
  }

  /** Leaves out what is left of a byte. */
  align(): void {
    this.#held = 0;
    this.#count = 0;
  }
}

function damaged(): Error {
  return new Error('is damaged');
}

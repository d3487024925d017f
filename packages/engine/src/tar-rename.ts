import { Readable } from 'node:stream';
import type { ByteSource } from './port.ts';

/** A name in a tar: bytes, as one character (U+0000 to U+00FF) each, since names need not be UTF-8. */
export type TarName = string;

export interface Renaming {
  /** What an entry is called afterwards. A directory's name may end in a slash. */
  name(name: TarName): TarName;
  /** Its mode; undefined: the one that it has. */
  mode?(name: TarName): number | undefined;
  /** Directories to put in before everything else. */
  first?: readonly { name: TarName; mode: number }[];
}

/** The bytes of a path of ours. */
export function tarName(path: string): TarName {
  return Buffer.from(path).toString('latin1');
}

/**
 * The same tar with other names, every entry root's. Content, links, names and their bytes stay otherwise as they are; of
 * extended attributes and times below a second nothing is left. The result fails when its source is cut off.
 */
export function renameEntries(tar: ByteSource, renaming: Renaming): Readable {
  return Readable.from(renamed(tar, renaming), { objectMode: false });
}

const BLOCK = 512;
/** Long names: nobody has one of more bytes. */
const MAX_EXTENSION = 1024 * 1024;
const TYPE = { link: '1', directory: '5', pax: 'x', paxGlobal: 'g', gnuName: 'L', gnuLink: 'K' } as const;

/** Where the fields of a header are. Source: POSIX.1-2024, pax, "ustar Interchange Format". */
const FIELD = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  link: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;
type Field = keyof typeof FIELD;

async function* renamed(tar: ByteSource, renaming: Renaming): AsyncGenerator<Buffer> {
  for (const { name, mode } of renaming.first ?? []) yield directory(name, mode);
  const source = new Blocks(tar);
  let extension = new Map<string, string>();
  for (;;) {
    const header = await source.take(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const type = text(header, 'type');
    if (type === TYPE.paxGlobal) {
      await source.take(padded(extensionSize(header)));
    } else if (type === TYPE.pax || type === TYPE.gnuName || type === TYPE.gnuLink) {
      const size = extensionSize(header);
      const body = (await source.take(padded(size))).subarray(0, size).toString('latin1');
      if (type === TYPE.pax) extension = new Map([...extension, ...records(body)]);
      else extension.set(type === TYPE.gnuName ? 'path' : 'linkpath', body.replace(/\0.*$/s, ''));
    } else {
      const size = Number(extension.get('size') ?? number(header, 'size'));
      yield renamedHeader(header, type, extension, renaming);
      yield* source.pass(padded(size));
      extension = new Map();
    }
  }
  yield Buffer.alloc(2 * BLOCK);
  await source.end();
}

function renamedHeader(
  header: Buffer,
  type: string,
  extension: ReadonlyMap<string, string>,
  { name: rename, mode }: Renaming,
): Buffer {
  const prefix = text(header, 'magic') === 'ustar' ? text(header, 'prefix') : '';
  const name = rename(extension.get('path') ?? (prefix && `${prefix}/`) + text(header, 'name'));
  const target = extension.get('linkpath') ?? text(header, 'link');
  const link = type === TYPE.link ? rename(target) : target;
  const bits = mode?.(name);
  const size = extension.get('size');
  const result = Buffer.from(header);
  put(result, 'name', name);
  put(result, 'prefix', '');
  put(result, 'link', link);
  putNumber(result, 'uid', 0);
  putNumber(result, 'gid', 0);
  if (bits !== undefined) putNumber(result, 'mode', bits);
  putMagic(result);
  const longer = [
    ...(name.length > FIELD.name[1] ? [['path', name] as const] : []),
    ...(link.length > FIELD.link[1] ? [['linkpath', link] as const] : []),
    ...(size === undefined ? [] : [['size', size] as const]),
  ];
  return longer.length === 0 ? sealed(result) : Buffer.concat([paxEntry(longer), sealed(result)]);
}

function directory(name: TarName, mode: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  put(header, 'name', name);
  put(header, 'type', TYPE.directory);
  putNumber(header, 'mode', mode);
  for (const field of ['uid', 'gid', 'size', 'mtime'] as const) putNumber(header, field, 0);
  putMagic(header);
  return sealed(header);
}

function paxEntry(values: readonly (readonly [string, string])[]): Buffer {
  const body = values.map(([key, value]) => record(key, value)).join('');
  const header = directory('pax', 0o644);
  put(header, 'type', TYPE.pax);
  putNumber(header, 'size', body.length);
  return Buffer.concat([sealed(header), Buffer.from(body, 'latin1')], BLOCK + padded(body.length));
}

/** The length that a record starts with counts itself. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${length}${rest}`;
}

function records(body: string): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const length = Number.parseInt(body.slice(at), 10);
    if (!(length > 0)) throw new Error('the tar has a damaged extended header');
    const [key = '', ...value] = body.slice(body.indexOf(' ', at) + 1, at + length - 1).split('=');
    found.set(key, value.join('='));
    at += length;
  }
  return found;
}

function text(header: Buffer, field: Field): string {
  const [at, size] = FIELD[field];
  return header.toString('latin1', at, at + size).replace(/\0.*$/s, '');
}

/** Octal digits, or binary when the first bit is set. */
function number(header: Buffer, field: Field): number {
  const [at, size] = FIELD[field];
  const bytes = header.subarray(at, at + size);
  if (((bytes[0] ?? 0) & 0x80) === 0) return Number.parseInt(text(header, field).trim() || '0', 8);
  return bytes.subarray(1).reduce((value, byte) => value * 256 + byte, 0);
}

function put(header: Buffer, field: Field, value: string): void {
  const [at, size] = FIELD[field];
  header.fill(0, at, at + size);
  header.write(value.slice(0, size), at, 'latin1');
}

function putNumber(header: Buffer, field: Field, value: number): void {
  put(header, field, `${value.toString(8).padStart(FIELD[field][1] - 1, '0')}\0`);
}

function putMagic(header: Buffer): void {
  put(header, 'magic', 'ustar\x0000');
}

/** With its checksum, in which the checksum's own place counts as blanks. */
function sealed(header: Buffer): Buffer {
  put(header, 'checksum', ' '.repeat(8));
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(header, 'checksum', `${sum.toString(8).padStart(6, '0')}\0 `);
  return header;
}

function extensionSize(header: Buffer): number {
  const size = number(header, 'size');
  if (size > MAX_EXTENSION) throw new Error(`the tar has an extended header of ${size} bytes`);
  return size;
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** A stream in pieces of a wanted size. */
class Blocks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: ByteSource) {
    this.#chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.pass(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** That many bytes, as they come. */
  async *pass(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) throw new Error('the tar stream was cut off');
        this.#rest = Buffer.from(next.value);
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }

  /** Reads what comes after the end of the tar. */
  async end(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }
}

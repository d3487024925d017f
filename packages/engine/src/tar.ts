import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { type Extract, extract, type Header, pack as newPack, type Pack } from 'tar-stream';
import { DOCKERIGNORE, ignoredPaths } from './dockerignore.ts';
import type { ByteSource } from './port.ts';

/** An entry to pack. `mode` defaults to 0644 for files and 0755 for directories; owner and group to root. */
export type TarEntry = { name: string; mode?: number; uid?: number; gid?: number } & (
  | { content: string | Uint8Array }
  | { size: number; stream: () => Readable }
  | { directory: true }
  | { linkTo: string }
);

export interface PackOptions {
  /** Patterns as in `.dockerignore`, after those of the directory's own. */
  ignore?: readonly string[];
  /** Entries that it denies are left out, and a directory that it denies is one only by what is in it. */
  only?: (path: string) => boolean;
  /** Put in as well, never ignored; an extra file takes the place of one of the same name. */
  extra?: readonly TarEntry[];
  /** Where the directory's content lies in the tar; default: at its top. Extra entries name their whole path. */
  prefix?: string;
}

/** Below this a file is read at once: most are small, and a stream each is slow. */
const READ_AT_ONCE_BYTES = 256 * 1024;

/** Packs the entries in the given order. The same entries give the same bytes: no times. */
export function packEntries(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): Readable {
  return Readable.from(packed(entries), { objectMode: false });
}

/**
 * Packs what a directory holds, honouring its `.dockerignore`. The same content gives the same bytes: sorted by name, no
 * times, root as owner, and of the mode only whether it may be executed. Links are packed as links, never followed.
 * The stream throws when a file can't be read, changes its size meanwhile, or is neither file, directory nor link.
 */
export function packDirectory(directory: string, options: PackOptions = {}): Readable {
  return packEntries(directoryEntries(directory, options));
}

async function* packed(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  const pack = newPack();
  const feeding = feed(pack, entries).catch((error: unknown) => {
    pack.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const chunk of pack) yield chunk as Buffer;
    await feeding;
  } finally {
    pack.destroy(null);
  }
}

async function feed(pack: Pack, entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): Promise<void> {
  for await (const entry of entries) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    if ('directory' in entry) pack.entry(header(entry, 'directory', 0o755), done);
    else if ('linkTo' in entry) pack.entry(header(entry, 'symlink', 0o777, { linkname: entry.linkTo }), done);
    else if ('content' in entry) pack.entry(header(entry, 'file', 0o644), Buffer.from(entry.content), done);
    else {
      const sink = pack.entry(header(entry, 'file', 0o644, { size: entry.size }), done);
      sink.once('error', reject);
      await Promise.all([promise, copy(entry.stream(), sink)]);
    }
    await promise;
  }
  pack.finalize();
}

async function copy(source: Readable, sink: ReturnType<Pack['entry']>): Promise<void> {
  const closed = new Promise<void>((resolve) => sink.once('close', resolve));
  try {
    for await (const chunk of source) {
      if (!sink.write(chunk)) await Promise.race([once(sink, 'drain'), closed]);
      if (sink.destroyed) return;
    }
    sink.end(null);
  } catch (error) {
    sink.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

function header(entry: TarEntry, type: Header['type'], mode: number, more: Partial<Header> = {}) {
  const { uid = 0, gid = 0 } = entry;
  return { name: entry.name, type, mode: entry.mode ?? mode, uid, gid, mtime: new Date(0), ...more };
}

async function* directoryEntries(directory: string, options: PackOptions): AsyncGenerator<TarEntry> {
  const { extra = [], prefix = '', only = () => true } = options;
  const isIgnored = ignoredPaths(await ownPatterns(directory), options.ignore);
  const replaced = new Set(extra.map(({ name }) => posix.normalize(name)));
  for await (const path of walk(directory, '')) {
    const name = posix.join(prefix, path);
    if (only(path) && !isIgnored(path) && !replaced.has(name)) yield await readEntry(join(directory, path), name);
  }
  yield* extra;
}

async function ownPatterns(directory: string): Promise<string> {
  try {
    return await readFile(join(directory, DOCKERIGNORE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** All paths below, sorted, directories before their content; ignored ones too: a later rule may take a file back in. */
async function* walk(root: string, below: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = posix.join(below, entry.name);
    yield path;
    if (entry.isDirectory()) yield* walk(root, path);
  }
}

async function readEntry(path: string, name: string): Promise<TarEntry> {
  const stats = await lstat(path);
  if (stats.isDirectory()) return { name, directory: true };
  if (stats.isSymbolicLink()) return { name, linkTo: await readlink(path) };
  if (!stats.isFile()) throw new Error(`${path}: neither a file, a directory nor a link`);
  const mode = stats.mode & 0o100 ? 0o755 : 0o644;
  if (stats.size <= READ_AT_ONCE_BYTES) return { name, mode, content: await readFile(path) };
  return { name, mode, size: stats.size, stream: () => createReadStream(path) };
}

/** A tar that must not be unpacked: it names paths outside, or is over a limit. */
export class TarRefused extends Error {
  override name = 'TarRefused';
}

export interface UnpackOptions {
  /** Of all files together. */
  maxBytes: number;
  /** Files and directories. */
  maxFiles: number;
  /** Leading parts of each name to leave out; entries that have no more parts are left out. */
  strip?: number;
}

export interface Unpacked {
  files: number;
  bytes: number;
  /** Names of entries that were left out: links, devices, sockets, and names that are too long or taken. */
  skipped: string[];
}

/**
 * Reads one file out of a tar stream; `undefined` when it isn't there as a regular file. Ends the stream.
 * @throws TarRefused when it is over `maxBytes`
 */
export async function unpackFile(
  tar: ByteSource,
  name: string,
  { maxBytes }: { maxBytes: number },
): Promise<Buffer | undefined> {
  let file: Buffer | undefined;
  await eachEntry(tar, async (entry) => {
    if (entry.header.type !== 'file' || posix.normalize(entry.header.name) !== posix.normalize(name)) {
      await skip(entry);
      return 'more';
    }
    if (entry.header.size > maxBytes) throw new TarRefused(`${name}: over ${maxBytes} bytes`);
    file = Buffer.concat(await chunksOf(entry));
    return 'enough';
  });
  return file;
}

/**
 * Unpacks an untrusted tar stream into a directory that is ours alone and has no links in it: regular files and
 * directories, with our own modes (0644, 0755 where the owner may execute), never over what exists.
 * @throws TarRefused for a name that leads outside, and over the limits; what was unpacked by then stays
 */
export async function unpackInto(directory: string, tar: ByteSource, options: UnpackOptions): Promise<Unpacked> {
  const result: Unpacked = { files: 0, bytes: 0, skipped: [] };
  let count = 0;
  await eachEntry(tar, async (entry) => {
    const { name, type, size, mode } = entry.header;
    const path = checkedPath(name, options.strip ?? 0);
    const isUsable = Buffer.byteLength(name) <= MAX_NAME_BYTES && (type === 'file' || type === 'directory');
    const wanted = path !== undefined && isUsable;
    if (path !== undefined && !wanted) result.skipped.push(name);
    if (wanted && ++count > options.maxFiles) throw new TarRefused(`more than ${options.maxFiles} files`);
    if (wanted && type === 'file') {
      if (result.bytes + size > options.maxBytes) throw new TarRefused(`more than ${options.maxBytes} bytes`);
      const file = await newFile(directory, path, mode & 0o100 ? 0o755 : 0o644);
      if (file) {
        result.files += 1;
        result.bytes += size;
        await write(file, entry);
      } else {
        result.skipped.push(name);
        await skip(entry);
      }
    } else {
      if (wanted && !(await makeDirectory(join(directory, path)))) result.skipped.push(name);
      await skip(entry);
    }
    return 'more';
  });
  return result;
}

/** A longer one could not be opened any more once the directory has moved: Linux ends paths at 4096 bytes. */
const MAX_NAME_BYTES = 1024;

/** The path below the target; `undefined` for the target itself. */
function checkedPath(name: string, strip: number): string | undefined {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || name.includes('\0')) {
    throw new TarRefused(`${JSON.stringify(name)}: the name leads outside`);
  }
  const rest = parts.slice(strip);
  return rest.length === 0 ? undefined : rest.join('/');
}

/** Undefined when the name can't be had. */
async function newFile(directory: string, path: string, mode: number): Promise<FileHandle | undefined> {
  if (!(await makeDirectory(join(directory, posix.dirname(path))))) return undefined;
  // `wx` fails on whatever exists, links included.
  return unlessUnusable(() => open(join(directory, path), 'wx', mode));
}

async function makeDirectory(path: string): Promise<boolean> {
  return (await unlessUnusable(() => mkdir(path, { recursive: true }).then(() => true))) ?? false;
}

/** A name is too long for a path here, or two names of the tar are the same to us. */
const UNUSABLE = ['ENAMETOOLONG', 'EEXIST', 'ENOTDIR', 'EISDIR', 'EILSEQ', 'EINVAL'];

async function unlessUnusable<T>(make: () => Promise<T>): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    if (UNUSABLE.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

async function write(file: FileHandle, entry: Entry): Promise<void> {
  try {
    for await (const chunk of entry) await writeAll(file, chunk as Buffer);
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

type Entry = Extract extends AsyncIterable<infer E> ? E : never;

/**
 * Hands on each entry, which must be read to its end, until `visit` says that it has seen enough.
 * What is wrong with the tar or its source is thrown itself, not what it did to the entry that was being read.
 */
async function eachEntry(tar: ByteSource, visit: (entry: Entry) => Promise<'more' | 'enough'>): Promise<void> {
  const source = tar instanceof Readable ? tar : Readable.from(tar);
  const reader = extract();
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    reader.destroy(error);
  };
  reader.once('error', fail);
  source.once('error', fail);
  source.once('close', () => {
    if (!source.readableEnded) fail(new Error('the tar stream was cut off'));
  });
  source.once('end', () => reader.end(null));
  source.on('data', (chunk: Buffer) => {
    if (!reader.write(chunk)) source.pause();
  });
  reader.on('drain', () => source.resume());
  try {
    for await (const entry of reader) if ((await visit(entry)) === 'enough') return;
  } catch (error) {
    throw failure ?? error;
  } finally {
    source.removeAllListeners('close');
    source.destroy();
    reader.destroy(null);
  }
}

/** Entries come one after the other: the next only when this one has been read. */
async function skip(entry: Entry): Promise<void> {
  for await (const _ of entry);
}

async function chunksOf(entry: Entry): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk as Buffer);
  return chunks;
}

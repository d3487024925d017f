import { spawn } from 'node:child_process';
import { createReadStream, readSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { fromFdPromise } from 'yauzl';
import { bunzip2 } from './bunzip2.ts';
import { TEXT_LIMIT } from './scan.ts';

export type ArchiveKind = 'gzip' | 'zstd' | 'xz' | 'bzip2' | 'zip';

const MAGIC: readonly (readonly [kind: ArchiveKind, bytes: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

/** What a file is by its first bytes; undefined for none of these. */
export function archiveKind(bytes: Uint8Array): ArchiveKind | undefined {
  return MAGIC.find(([, magic]) => magic.every((byte, index) => bytes[index] === byte))?.[0];
}

/** A text in an archive. Of a compressed file its whole content, a tar of many files included, in pieces that overlap. */
export interface ArchivedText {
  name: string | null;
  text: string;
}

/** Pieces of a long text overlap by so much, so that no passage is cut. Bytes. */
const OVERLAP = 64 * 1024;
const PIECE = 8 * 1024 * 1024;
/** Bytes. */
const READ = 64 * 1024;

/**
 * What is in an open file, which stays open.
 * @throws Error for what can't be unpacked; what came before was yielded
 */
export async function* openArchive(file: number, kind: ArchiveKind): AsyncGenerator<ArchivedText> {
  if (kind === 'zip') yield* zipTexts(file);
  else for await (const text of pieces(unpacked(file, kind))) yield { name: null, text };
}

async function* zipTexts(file: number): AsyncGenerator<ArchivedText> {
  // Never closed: that would close the file.
  const zip = await fromFdPromise(file, { autoClose: false });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/') || entry.uncompressedSize > TEXT_LIMIT) continue;
    const stream = await zip.openReadStreamPromise(entry);
    for await (const text of pieces(stream)) yield { name: entry.fileName, text };
  }
}

function unpacked(file: number, kind: Exclude<ArchiveKind, 'zip'>): Iterable<Buffer> | Readable {
  // An error of either ends the reader's loop.
  const content = () => createReadStream('', { fd: file, start: 0, autoClose: false });
  if (kind === 'gzip') return pipeline(content(), createGunzip(), () => undefined);
  if (kind === 'zstd') return pipeline(content(), createZstdDecompress(), () => undefined);
  if (kind === 'bzip2') return bunzip2(reader(file));
  // The child goes on where the file is read: at its start, since nobody has moved it.
  const child = spawn(kind, ['-dc'], { stdio: [file, 'pipe', 'ignore'], env: { PATH: '/usr/bin:/bin' } });
  const { stdout } = child;
  if (!stdout) throw new Error(`${kind} has no output`);
  child.once('error', (error) => stdout.destroy(error));
  child.once('close', (code) => {
    if (code !== 0) stdout.destroy(new Error(`${kind} ended with ${code}`));
  });
  return stdout;
}

/** From the start of the file, wherever it was read to. */
function reader(file: number): () => Buffer {
  let position = 0;
  return () => {
    const bytes = Buffer.allocUnsafe(READ);
    const count = readSync(file, bytes, 0, bytes.length, position);
    position += count;
    return bytes.subarray(0, count);
  };
}

async function* pieces(stream: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let bytes = 0;
  let failure: unknown;
  try {
    for await (const chunk of stream) {
      held.push(chunk);
      bytes += chunk.length;
      if (bytes < PIECE) continue;
      const piece = Buffer.concat(held);
      yield piece.toString('latin1');
      const rest = piece.subarray(-OVERLAP);
      held = [rest];
      bytes = rest.length;
    }
  } catch (error) {
    failure = error;
  }
  if (bytes > 0) yield Buffer.concat(held).toString('latin1');
  if (failure !== undefined) throw failure;
}

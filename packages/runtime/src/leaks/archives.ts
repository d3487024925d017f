import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { openPromise } from 'yauzl';
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

/** @throws Error for what can't be unpacked; what came before was yielded */
export async function* openArchive(path: string, kind: ArchiveKind): AsyncGenerator<ArchivedText> {
  if (kind === 'zip') yield* zipTexts(path);
  else for await (const text of pieces(unpacked(path, kind))) yield { name: null, text };
}

async function* zipTexts(path: string): AsyncGenerator<ArchivedText> {
  const zip = await openPromise(path);
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/') || entry.uncompressedSize > TEXT_LIMIT) continue;
      const stream = await zip.openReadStreamPromise(entry);
      for await (const text of pieces(stream)) yield { name: entry.fileName, text };
    }
  } finally {
    zip.close();
  }
}

function unpacked(path: string, kind: Exclude<ArchiveKind, 'zip'>): Readable {
  // An error of either ends the reader's loop.
  if (kind === 'gzip') return pipeline(createReadStream(path), createGunzip(), () => undefined);
  if (kind === 'zstd') return pipeline(createReadStream(path), createZstdDecompress(), () => undefined);
  const child = spawn(kind, ['-dc', '--', path], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  });
  child.once('error', (error) => child.stdout.destroy(error));
  child.once('close', (code) => {
    if (code !== 0) child.stdout.destroy(new Error(`${kind} ended with ${code}`));
  });
  return child.stdout;
}

async function* pieces(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let bytes = 0;
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
  if (bytes > 0) yield Buffer.concat(held).toString('latin1');
}

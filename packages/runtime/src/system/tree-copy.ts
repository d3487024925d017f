import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  lchownSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { Directory, type Entry, Pacer } from './directory.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

export interface TreeCopyOptions {
  /** Who every copied entry will belong to. */
  uid: number;
  gid: number;
  /** Leave out every `.git`, at any depth. */
  excludeGit?: boolean;
  /** Only what this user could read itself is copied: a file that belongs to another user and is closed to it is skipped. */
  readableBy?: { uid: number; gid: number };
  /** Most bytes of all files together, by size and not by blocks: a file that would go over it is skipped. */
  maxBytes?: number;
  /** Gives the copy up; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface TreeCopyReport {
  files: number;
  bytes: number;
  /** What was left out and why, at most the first thousand. Paths are relative to the source; non-UTF-8 bytes are replaced. */
  skipped: { path: string; reason: 'special_file' | 'unreadable' | 'vanished' | 'too_large' | 'too_deep' }[];
}

/** Deeper directories are left out: no program could name what is in them. */
const MAX_DEPTH = 1000;

/**
 * Copies the directory `source` to `target`, which must not exist, while others may change the source. Reached by
 * descriptor and without following links; links are copied as links; FIFOs, sockets and devices are skipped, and what
 * vanishes or is swapped meanwhile: no content makes a copy fail. Times of change of files are kept: `make` goes by them. Set-id and sticky bits are
 * dropped, owners can always read and write (spec/runtime §3.5). The target's top directory gets its owner and mode last:
 * until then nobody else can enter it.
 * @throws the file system's error on the target's side, or the signal's reason; the partial copy stays
 */
export async function copyTree(source: string, target: string, options: TreeCopyOptions): Promise<TreeCopyReport> {
  const copy = new TreeCopy(options);
  using from = Directory.open(source);
  mkdirSync(target, { mode: 0o700 });
  using to = Directory.open(target);
  await copy.directory(from, to, '', 0);
  return copy.report;
}

const BUFFER_BYTES = 256 * 1024;
const ZEROS = Buffer.alloc(BUFFER_BYTES);
/** Shorter runs of zeros are written. */
const HOLE_BYTES = 64 * 1024;

class TreeCopy {
  readonly report: TreeCopyReport = { files: 0, bytes: 0, skipped: [] };
  readonly #options: TreeCopyOptions;
  readonly #pacer = new Pacer();
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);

  constructor(options: TreeCopyOptions) {
    this.#options = options;
  }

  async directory(from: Directory, to: Directory, prefix: string, depth: number): Promise<void> {
    for (const entry of from.entries()) {
      if (this.#options.excludeGit && entry.name.toString('latin1') === '.git') continue;
      if (this.#pacer.due) await this.#giveWay();
      await this.#entry(from, to, entry, prefix, depth);
    }
    fchownSync(to.fd, this.#options.uid, this.#options.gid);
    fchmodSync(to.fd, (fstatSync(from.fd).mode & 0o777) | 0o700);
  }

  async #entry(from: Directory, to: Directory, entry: Entry, prefix: string, depth: number): Promise<void> {
    const { name } = entry;
    const path = () => `${prefix}${name}`;
    if (entry.isDirectory()) {
      const inner = attempt(() => from.openDirectory(name));
      if (!inner) return this.#skip(path(), 'vanished');
      using source = inner;
      if (depth >= MAX_DEPTH) return this.#skip(path(), 'too_deep');
      mkdirSync(to.at(name), { mode: 0o700 });
      using target = to.openDirectory(name);
      await this.directory(source, target, `${prefix}${name}/`, depth + 1);
    } else if (entry.isSymbolicLink()) {
      const link = attempt(() => readlinkSync(from.at(name), { encoding: 'buffer' }));
      if (!link) return this.#skip(path(), 'vanished');
      symlinkSync(link, to.at(name));
      lchownSync(to.at(name), this.#options.uid, this.#options.gid);
    } else if (entry.isFile()) {
      await this.#file(from, to, name, path);
    } else {
      this.#skip(path(), 'special_file');
    }
  }

  async #file(from: Directory, to: Directory, name: Buffer, path: () => string): Promise<void> {
    const source = attempt(() => openSync(from.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (source === undefined) return this.#skip(path(), 'vanished');
    try {
      const stats = fstatSync(source);
      if (!stats.isFile()) return this.#skip(path(), 'special_file');
      if (!this.#mayRead(stats)) return this.#skip(path(), 'unreadable');
      if (this.report.bytes + stats.size > (this.#options.maxBytes ?? Number.POSITIVE_INFINITY))
        return this.#skip(path(), 'too_large');
      this.report.files += 1;
      this.report.bytes += stats.size;
      const target = openSync(to.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        await this.#content(source, target, stats.size);
        fchownSync(target, this.#options.uid, this.#options.gid);
        fchmodSync(target, (stats.mode & 0o777) | 0o600);
        futimesSync(target, stats.atimeMs / 1000, stats.mtimeMs / 1000);
      } finally {
        closeSync(target);
      }
    } finally {
      closeSync(source);
    }
  }

  /** As many bytes as the file had when it was opened: one that grows meanwhile does not keep us. */
  async #content(source: number, target: number, size: number): Promise<void> {
    let left = size;
    while (left > 0) {
      const read = readSync(source, this.#buffer, 0, Math.min(left, this.#buffer.length), null);
      if (read === 0) return;
      const at = size - left;
      left -= read;
      // What is nothing but zeros stays a hole: a sparse file must not take its size in space.
      if (read >= HOLE_BYTES && this.#buffer.subarray(0, read).equals(ZEROS.subarray(0, read))) {
        if (left === 0) ftruncateSync(target, size);
      } else {
        for (let written = 0; written < read; )
          written += writeSync(target, this.#buffer, written, read - written, at + written);
      }
      if (left > 0 && this.#pacer.due) await this.#giveWay();
    }
  }

  async #giveWay(): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await this.#pacer.giveWay();
  }

  #mayRead(stats: Stats): boolean {
    const reader = this.#options.readableBy;
    if (!reader || stats.uid === reader.uid) return true;
    return Boolean(stats.mode & (stats.gid === reader.gid ? 0o040 : 0o004));
  }

  #skip(path: string, reason: TreeCopyReport['skipped'][number]['reason']): void {
    if (this.report.skipped.length < 1000) this.report.skipped.push({ path, reason });
  }
}

/** The value, or undefined when the entry was removed, swapped or can't be opened. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO', 'EINVAL', 'EACCES', 'ENODEV'].includes(code)) return undefined;
    throw error;
  }
}

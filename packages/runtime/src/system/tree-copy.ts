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
  readFileSync,
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
  skipped: { path: string; reason: SkipReason }[];
}

type SkipReason = 'special_file' | 'unreadable' | 'vanished' | 'too_large' | 'too_deep';

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

/** Which bits a new file does not get. Asked of the system like this, nothing of it changes meanwhile. */
const UMASK = Number.parseInt(/^Umask:\s+(\d+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '777', 8);

/** Owners can always read and write. */
function modeFor({ mode }: Stats): number {
  return (mode & 0o777) | 0o600;
}

class TreeCopy {
  readonly report: TreeCopyReport = { files: 0, bytes: 0, skipped: [] };
  readonly #options: TreeCopyOptions;
  readonly #pacer = new Pacer();
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);

  constructor(options: TreeCopyOptions) {
    this.#options = options;
  }

  async directory(from: Directory, to: Directory, prefix: string, depth: number): Promise<void> {
    // A directory that was removed since can't be read any more.
    for (const entry of attempt(() => from.entries()) ?? []) {
      if (this.#options.excludeGit && entry.name.toString('latin1') === '.git') continue;
      if (this.#pacer.due) await this.#giveWay();
      // Nothing is awaited for a file of usual size: tens of thousands of them are to be copied.
      const rest = entry.isFile()
        ? this.#file(from, to, entry.name, prefix)
        : this.#other(from, to, entry, prefix, depth);
      if (rest !== undefined) await rest;
    }
    fchownSync(to.fd, this.#options.uid, this.#options.gid);
    fchmodSync(to.fd, (fstatSync(from.fd).mode & 0o777) | 0o700);
  }

  /** A directory, link or special file. */
  async #other(from: Directory, to: Directory, entry: Entry, prefix: string, depth: number): Promise<void> {
    const { name } = entry;
    const path = `${prefix}${name}`;
    if (entry.isDirectory()) {
      const inner = attempt(() => from.openDirectory(name));
      if (!inner) return this.#skip(path, 'vanished');
      using source = inner;
      if (depth >= MAX_DEPTH) return this.#skip(path, 'too_deep');
      mkdirSync(to.at(name), { mode: 0o700 });
      using target = to.openDirectory(name);
      await this.directory(source, target, `${path}/`, depth + 1);
    } else if (entry.isSymbolicLink()) {
      const link = attempt(() => readlinkSync(from.at(name), { encoding: 'buffer' }));
      if (!link) return this.#skip(path, 'vanished');
      symlinkSync(link, to.at(name));
      lchownSync(to.at(name), this.#options.uid, this.#options.gid);
    } else {
      this.#skip(path, 'special_file');
    }
  }

  /** What is to be awaited, if anything. */
  #file(from: Directory, to: Directory, name: Buffer, prefix: string): Promise<void> | undefined {
    const skip = (reason: SkipReason) => this.#skip(`${prefix}${name}`, reason);
    const source = attempt(() => openSync(from.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    if (source === undefined) return skip('vanished');
    let isLarge = false;
    try {
      const stats = fstatSync(source);
      if (!stats.isFile()) return skip('special_file');
      if (!this.#mayRead(stats)) return skip('unreadable');
      if (this.report.bytes + stats.size > (this.#options.maxBytes ?? Number.POSITIVE_INFINITY))
        return skip('too_large');
      this.report.files += 1;
      this.report.bytes += stats.size;
      const target = openSync(to.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, modeFor(stats));
      isLarge = stats.size > BUFFER_BYTES;
      if (isLarge) return this.#large(source, target, stats);
      try {
        if (stats.size > 0) this.#chunk(source, target, 0, stats.size);
        this.#putRight(target, stats);
      } finally {
        closeSync(target);
      }
    } finally {
      if (!isLarge) closeSync(source);
    }
    return undefined;
  }

  /** As many bytes as the file had when it was opened: one that grows meanwhile does not keep us. Closes both. */
  async #large(source: number, target: number, stats: Stats): Promise<void> {
    try {
      for (let at = 0; at < stats.size; ) {
        const copied = this.#chunk(source, target, at, stats.size);
        if (copied === 0) break;
        at += copied;
        if (this.#pacer.due) await this.#giveWay();
      }
      this.#putRight(target, stats);
    } finally {
      closeSync(target);
      closeSync(source);
    }
  }

  /** Copies what lies at `at`, as much as the buffer takes, of a file that ends at `size`. Returns how many bytes; 0 when it is shorter by now. */
  #chunk(source: number, target: number, at: number, size: number): number {
    const read = readSync(source, this.#buffer, 0, Math.min(size - at, this.#buffer.length), null);
    // What is nothing but zeros stays a hole: a sparse file must not take its size in space.
    if (read >= HOLE_BYTES && this.#buffer.subarray(0, read).equals(ZEROS.subarray(0, read))) {
      if (at + read === size) ftruncateSync(target, size);
      return read;
    }
    for (let written = 0; written < read; )
      written += writeSync(target, this.#buffer, written, read - written, at + written);
    return read;
  }

  #putRight(target: number, stats: Stats): void {
    fchownSync(target, this.#options.uid, this.#options.gid);
    if (modeFor(stats) & UMASK) fchmodSync(target, modeFor(stats));
    futimesSync(target, stats.atimeMs / 1000, stats.mtimeMs / 1000);
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

  #skip(path: string, reason: SkipReason): undefined {
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

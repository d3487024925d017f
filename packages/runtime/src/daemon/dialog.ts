import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { DaemonError, messageOf } from './daemon-error.ts';

type Entry = Record<string, unknown>;

/** Most of a dialog that is read at one time. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A place in the file before which no entry has a higher `seq`. */
interface Mark {
  file: bigint;
  offset: number;
  seq: number;
}

/**
 * The agent's `dialog.jsonl`. The agent owns its directory, so nothing is followed or waited for: whatever is not a
 * regular file counts as none. Source: spec/runtime §2.2.
 */
export class Dialog {
  readonly #path: string;
  #mark: Mark | undefined;

  constructor(archive: string) {
    this.#path = join(archive, 'dialog.jsonl');
  }

  /**
   * The entries in the file's order: those with a `seq` above `since`, or all. Lines that are not JSON objects with an
   * integer `seq` are passed over. A caller that goes on from its last entry costs only what is new.
   * @throws DaemonError `internal` when the file is there and can't be read
   */
  async entries(since: number | undefined): Promise<Entry[]> {
    try {
      await using file = await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      return await this.#read(file, since);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (['ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO'].includes(code)) return [];
      throw new DaemonError('internal', `the dialog can't be read: ${messageOf(error)}`, { cause: error });
    }
  }

  async #read(file: FileHandle, since: number | undefined): Promise<Entry[]> {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) return [];
    const mark = this.#mark;
    const goesOn = mark && mark.file === stats.ino && BigInt(mark.offset) <= stats.size;
    const from = goesOn && since !== undefined && since >= mark.seq ? mark.offset : 0;
    const bytes = Buffer.alloc(Math.min(Number(stats.size) - from, MAX_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const read = bytes.subarray(0, bytesRead);
    const end = read.lastIndexOf(0x0a) + 1;
    const complete = entriesOf(read.subarray(0, end));
    const before = from === 0 ? -1 : (mark?.seq ?? -1);
    this.#mark = {
      file: stats.ino,
      offset: from + end,
      seq: complete.map(seqOf).reduce((a, b) => Math.max(a, b), before),
    };
    const entries = [...complete, ...entriesOf(read.subarray(end))];
    return since === undefined ? entries : entries.filter((entry) => seqOf(entry) > since);
  }
}

function entriesOf(lines: Buffer): Entry[] {
  return lines.toString('utf8').split('\n').flatMap(entryOf);
}

function seqOf(entry: Entry): number {
  return Number(entry['seq']);
}

function entryOf(line: string): Entry[] {
  if (!line.trimStart().startsWith('{')) return [];
  try {
    const entry: Entry = JSON.parse(line);
    return Number.isInteger(entry['seq']) ? [entry] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
